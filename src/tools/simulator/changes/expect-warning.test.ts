import { expect, test } from "vitest";
import { workOrder } from "../../../../test/support/floor/embedded-store.ts";
import { line } from "../../../../test/support/floor/floor.ts";
import { languages } from "../../../messages/languages.ts";
import { localise } from "../../../messages/localise.ts";
import { say } from "../../../messages/message.ts";
import { openTally } from "../calls/call-tally.ts";
import { expectWarning, noteAnnounced } from "./expect-warning.ts";
import { openOrderGroups } from "./simulated-order-group.ts";

const aside = (amount: number) => `A: put ${amount} aside now. That is more than the ERP wants for order N-1.`;

/** 12 of A were picked, then the order was fetched again and 12 were picked once more. No change was pushed yet. */
function pickedTwice() {
  const order = workOrder({ number: "N-1", requests: [line("A", 12)] });
  const [orderGroup] = openOrderGroups([order], { seed: 1, rates: undefined, isTaught: true }).values();
  if (orderGroup === undefined) throw new Error("the order has no orderGroup");
  orderGroup.members[0].picked.set("A", 24);
  const tally = openTally({ now: () => 0 });
  const warn = (message: string | null) => expectWarning(orderGroup, { item: "A", order: "N-1", message }, tally);
  return { orderGroup, tally, warn };
}

test("what was told before an order changed is not expected again", () => {
  const { orderGroup, tally, warn } = pickedTwice();
  noteAnnounced(orderGroup, "N-1", aside(2));
  warn(aside(10));
  expect(tally.findings).toEqual([]);
});

test("pieces that nobody was told to put aside are a finding; a text about the line alone tells nothing", () => {
  const { orderGroup, tally, warn } = pickedTwice();
  noteAnnounced(orderGroup, "N-1", "A: 2 more than requested. Check the amount and put the surplus back.");
  warn(aside(10));
  expect(tally.findings).toMatchObject([{ kind: "change", expected: "12 in all, 10 were told" }]);
});

test.each(languages)("in %s, a list of what is still to be picked tells nobody to put anything aside", (language) => {
  const { orderGroup, tally, warn } = pickedTwice();
  const values = { order: "N-1", goods: "A × 9, B × 0" };
  noteAnnounced(orderGroup, "N-1", localise(say("events.order-changed", values), language));
  warn(aside(12));
  expect(tally.findings).toEqual([]);
});

test.each(languages)("in %s, the goods of a cancelled order are told, however many there are", (language) => {
  const { orderGroup, tally, warn } = pickedTwice();
  const values = { order: "N-1", goods: "A × 9, B × 1.5 kg, …" };
  noteAnnounced(orderGroup, "N-1", localise(say("events.order-cancelled", values), language));
  warn(aside(3));
  expect(tally.findings).toEqual([]);
});
