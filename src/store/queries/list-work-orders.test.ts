import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import { pieceText } from "../../../test/support/floor/piece-text.ts";
import { readSizes } from "../../../test/support/floor/read-sizes.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { ListInParts, ReadyJsonList, ReadyJsonSlices } from "../../operation/outcome.ts";
import { openOrderStore } from "../order-store.ts";
import { listWorkOrders } from "./list-work-orders.ts";

function warehouse(expireAfterDays?: number) {
  const { writer, reader } = embeddedStore();
  const clock = manualClock(Date.parse("2026-03-01T08:00:00Z"));
  const dates = { timeZone: "Europe/Berlin", timeOfDay: "06:00" };
  const longTexts = longTextsIn(reader);
  const query = listWorkOrders({ database: reader, clock, longTexts, expireAfterDays, dates, isSound: () => true });
  const pieces = () => {
    const outcome = query();
    if (!outcome.ok || !(outcome.data instanceof ReadyJsonList)) throw new Error("a list was expected");
    return Iterator.from(outcome.data.pieces).map(pieceText);
  };
  const numbers = (texts: Iterable<string> = pieces()) =>
    (JSON.parse(`[${[...texts].join(",")}]`) as { number: string }[]).map(({ number }) => number);
  return { orders: openOrderStore(writer), clock, pieces, numbers };
}

test("an empty store lists nothing", () => {
  expect(warehouse().numbers()).toEqual([]);
});

test("an order is listed until the first sign of work, completion or cancellation", () => {
  const { orders, numbers } = warehouse();
  for (const number of ["waits", "started", "finished", "cancelled"]) orders.insert(workOrder({ number }), 1);
  orders.recordWork("started");
  orders.setState("finished", "finished");
  orders.setState("cancelled", "cancelled");
  expect(numbers()).toEqual(["waits"]);
});

test("an order is listed until it expires", () => {
  const { orders, numbers, clock } = warehouse(2);
  orders.insert(workOrder({ number: "old", dueDate: "2026-03-01T08:00:00Z" }), 1);
  orders.insert(workOrder({ number: "new", dueDate: "2026-03-02T08:00:00+01:00" }), 1);
  clock.advance({ days: 2 });
  expect(numbers()).toEqual(["old", "new"]);
  clock.advance({ ms: 1 });
  expect(numbers()).toEqual(["new"]);
});

test("a date without a time lasts to the end of its day in the site's zone, and expiry counts from there", () => {
  const { orders, numbers, clock } = warehouse(2);
  // How a date without a time is stored after it was read as 06:00 in Berlin.
  orders.insert(workOrder({ number: "by day", dueDate: "2026-03-01T06:00:00+01:00" }), 1);
  orders.insert(workOrder({ number: "by hour", dueDate: "2026-03-01T07:00:00+01:00" }), 1);
  clock.advance({ days: 2, minutes: 14 * 60 + 59 });
  expect(numbers()).toEqual(["by day"]);
  clock.advance({ minutes: 1 });
  expect(numbers()).toEqual([]);
});

test("without a limit no order expires", () => {
  const { orders, numbers } = warehouse();
  orders.insert(workOrder({ number: "ancient", dueDate: "1970-01-01T00:00:00Z" }), 1);
  expect(numbers()).toEqual(["ancient"]);
});

test("many orders come in pieces, in the order they were accepted", () => {
  const { orders, numbers, pieces } = warehouse();
  const given = Array.from({ length: 120 }, (_, index) => `WO-${index}`);
  for (const number of given) orders.insert(workOrder({ number }), 1);
  expect([...pieces()].length).toBe(3);
  expect(numbers()).toEqual(given);
});

test("orders that come and go while the list is written make none appear twice and none be missed", () => {
  const { orders, numbers, pieces } = warehouse();
  for (let index = 0; index < 120; index++) orders.insert(workOrder({ number: `WO-${index}` }), 1);
  const texts: string[] = [];
  for (const piece of pieces()) {
    if (texts.length === 0) {
      for (let index = 10; index < 70; index++) orders.recordWork(`WO-${index}`);
      orders.insert(workOrder({ number: "late" }), 1);
    }
    texts.push(piece);
  }
  const listed = numbers(texts);
  expect(new Set(listed).size).toBe(listed.length);
  for (let index = 70; index < 120; index++) expect(listed).toContain(`WO-${index}`);
  expect(listed).not.toContain("WO-60");
});

/** The text of a list as it is sent. */
async function sent(pieces: ReadyJsonList["pieces"]): Promise<{ readonly text: string; readonly longest: number }> {
  const texts: string[] = [];
  let longest = 0;
  for (const piece of pieces) {
    const bytes = piece instanceof ReadyJsonSlices ? await piece.bytes() : Buffer.from(pieceText(piece));
    if (!(piece instanceof ReadyJsonSlices)) longest = Math.max(longest, bytes.length);
    if (bytes.length > 0) texts.push(bytes.toString());
  }
  return { text: texts.join(","), longest };
}

test("however long the orders are, no query of a list reads more than a megabyte in this thread", async () => {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  const lengths = [10, 3_000_000, 1_000, ...Array<number>(60).fill(100_000), 400_000, 10, 20_000];
  const given = lengths.map((length, index) =>
    workOrder({ number: `WO-${index}`, dueDate: "2026-03-01T06:00:00+01:00", description: "ü".repeat(length / 2) }),
  );
  for (const order of given) orders.insert(order, 1);
  // Due today if its date has a time, which is found out from the text.
  const clock = manualClock(Date.parse("2026-03-03T08:00:00+01:00"));
  const dates = { timeZone: "Europe/Berlin", timeOfDay: "06:00" };
  const read = readSizes(reader);
  const needs = { database: read.database, longTexts: longTextsIn(reader), clock, dates, expireAfterDays: 2 };
  const outcome = listWorkOrders({ ...needs, isSound: () => true })();
  if (!outcome.ok || !(outcome.data instanceof ReadyJsonList)) throw new Error("a list was expected");
  const { text, longest } = await sent(outcome.data.pieces);
  expect(text === given.map((order) => JSON.stringify(order)).join(",")).toBe(true);
  expect(longest).toBeLessThan(2 ** 20);
  expect(read.largest()).toBeLessThan(2 ** 20);
});

test("orders that have to be checked come as objects, however long they are", async () => {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  const given = [10, 600_000, 20].map((length, index) =>
    workOrder({ number: `WO-${index}`, description: "x".repeat(length) }),
  );
  for (const order of given) orders.insert(order, 1);
  const dates = { timeZone: "Europe/Berlin", timeOfDay: "06:00" };
  const needs = { database: reader, longTexts: longTextsIn(reader), clock: manualClock(0), dates };
  const outcome = listWorkOrders({ ...needs, expireAfterDays: undefined, isSound: () => false })();
  if (!outcome.ok || !(outcome.data instanceof ListInParts)) throw new Error("a list in parts was expected");
  const found: unknown[] = [];
  for await (const part of outcome.data.parts) found.push(...part);
  expect(found).toEqual(given);
});
