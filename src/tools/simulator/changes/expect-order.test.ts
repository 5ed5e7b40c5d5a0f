import { expect, test } from "vitest";
import { workOrder } from "../../../../test/support/floor/embedded-store.ts";
import { line } from "../../../../test/support/floor/floor.ts";
import { openTally } from "../calls/call-tally.ts";
import { expectWarning, noteTold } from "./expect-order.ts";
import { openFamilies } from "./order-family.ts";

const aside = (amount: number) => `A: put ${amount} aside now. That is more than the ERP wants for order N-1.`;

/** 12 of A were picked, fetched again and picked once more; nothing has changed yet. */
function pickedTwice() {
  const order = workOrder({ number: "N-1", requests: [line("A", 12)] });
  const [family] = openFamilies([order], { seed: 1, rates: undefined, isTaught: true }).values();
  if (family === undefined) throw new Error("the order has no family");
  family.carriers[0].picked.set("A", 24);
  const tally = openTally({ now: () => 0 });
  const warn = (message: string | null) => expectWarning(family, { item: "A", order: "N-1", message }, tally);
  return { family, tally, warn };
}

test("what was told before an order changed is not expected again", () => {
  const { family, tally, warn } = pickedTwice();
  noteTold(family, "N-1", aside(2));
  warn(aside(10));
  expect(tally.findings).toEqual([]);
});

test("pieces that nobody was told to put aside are a finding; a text about the line alone tells nothing", () => {
  const { family, tally, warn } = pickedTwice();
  noteTold(family, "N-1", "A: 2 more than requested. Check the amount and put the surplus back.");
  warn(aside(10));
  expect(tally.findings).toMatchObject([{ kind: "change", expected: "12 in all, 10 were told" }]);
});
