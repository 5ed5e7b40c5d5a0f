import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { ReadyJsonSlices } from "../../operation/outcome.ts";
import { limitsMark } from "../../sdk/servable-record.ts";
import { holdTexts } from "../intake/order-texts.ts";
import { openFallbackFile } from "./open-fallback-file.ts";

const megabyte = 2 ** 20;

const byNumber = (one: { number: string }, other: { number: string }) => (one.number < other.number ? -1 : 1);

const longOrder = (number: string, lines: number, deliveryNumber: string | null = null) => ({
  ...{ number, deliveryNumber, dueDate: "2030-01-31T00:00:00Z" },
  requests: Array.from({ length: lines }, (_, line) => ({
    ...{ itemNumber: `Größe ${number}-${line}`, requestedAmount: 2, itemName: "x".repeat(160) },
    ...{ requestType: 1, unitOfMeasure: 0, order: line },
  })),
});

/** The last list of an external system, in a file of its own; what is logged is kept. */
function erpList(folder = temporaryFolder()) {
  const timers = manualTimers(manualClock());
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) };
  const file = openFallbackFile({ dataFolder: folder, timers, log });
  let isOpen = true;
  const close = () => {
    if (isOpen) file.close();
    isOpen = false;
  };
  onTestFinished(close);
  const erp = file.of("erp");
  /** Runs until everything is in the file. */
  const written = async () => {
    let isWritten = false;
    const settled = file.settled().then(() => {
      isWritten = true;
    });
    while (!isWritten) await timers.settle();
    await settled;
  };
  const remember = async (list: readonly object[], at: number) => {
    const texts = holdTexts();
    // Only what is kept of an order.
    erp.rememberList(
      list.map((order) => texts.hold(order as never)),
      at,
    );
    await written();
  };
  /** The bytes of each piece; the longest slice of one that is read while it is sent. */
  const pieces = async (isOffered = (_: string) => true) => {
    const read: Buffer[] = [];
    let longest = 0;
    for (const piece of erp.listed(isOffered)) {
      const slices: Uint8Array[] = [];
      if (piece instanceof ReadyJsonSlices) for await (const slice of piece.slices) slices.push(slice);
      else slices.push(piece);
      longest = Math.max(longest, ...slices.map(({ length }) => length));
      if (slices.length > 0) read.push(Buffer.concat(slices));
    }
    return { read, longest };
  };
  const read = async (isOffered?: (number: string) => boolean) =>
    JSON.parse(`[${(await pieces(isOffered)).read.map(String).join(",")}]`);
  /** Runs a statement on another connection, and returns the first column of its first row. */
  const inFile = (sql: string) => {
    const database = openDatabase(join(folder, "fallback.db"));
    const [found] = Object.values(database.statement(sql).get() ?? {});
    database.close();
    return found;
  };
  const partsLeft = () => inFile("SELECT count(*) FROM listed_part");
  /** The same file after a restart. */
  const reopened = () => {
    close();
    return erpList(folder);
  };
  return { erp, shop: file.of("shop"), remember, pieces, read, partsLeft, inFile, close, reopened, warnings };
}

test("a list of long orders is read a few at a time, the longest in parts", async () => {
  const { remember, pieces, read } = erpList();
  const list = [...[1_000, 9, 9, 12_000, 9].entries(), ...Array(60).fill(9).entries()].map(([index, lines], place) =>
    longOrder(`${place}-${index}`, lines),
  );
  await remember(list, 1);
  expect((await read()).toSorted(byNumber)).toEqual(list.toSorted(byNumber));
  const found = await pieces();
  expect(found.read.filter(({ length }) => length > megabyte / 2)).toHaveLength(1);
  expect(found.longest).toBeLessThan(megabyte / 2);
  expect(found.read.length).toBeGreaterThan(3);
});

test("what is not offered is left out, and other requests run while nothing is", async () => {
  const { remember, read, erp } = erpList();
  const list = Array.from({ length: 1_000 }, (_, index) => longOrder(`N-${index}`, index === 500 ? 3_000 : 1));
  await remember(list, 1);
  const wanted = new Set(["N-0", "N-500", "N-999"]);
  expect((await read((number) => wanted.has(number))).map(({ number }: { number: string }) => number)).toEqual([
    ...wanted,
  ]);
  expect(await read(() => false)).toEqual([]);
  expect([...erp.listed(() => false)].length).toBeGreaterThanOrEqual(4);
});

test("parts of orders that have changed or gone are removed, but not those another system's list has just written", async () => {
  const { remember, read, partsLeft, shop } = erpList();
  const long = longOrder("L", 6_000);
  await remember([long, longOrder("S", 3)], 1);
  const before = partsLeft();
  await remember([{ ...long, dueDate: "2030-02-01T00:00:00Z" }, longOrder("S", 3)], 2);
  expect(partsLeft()).toBe(before);
  const texts = holdTexts();
  // Both at once: one list is written while the other removes what it no longer has.
  shop.rememberList([texts.hold(longOrder("T", 6_000) as never)], 3);
  await remember([longOrder("S", 3)], 3);
  expect(await read()).toEqual([longOrder("S", 3)]);
  expect(await shop.listedOrder("T")).toEqual(longOrder("T", 6_000));
  await remember([longOrder("S", 3), longOrder("U", 3)], 4);
  expect(partsLeft()).toBe(before);
});

test("orders of one code are all found, however long, and one by its exact number", async () => {
  const { erp, remember } = erpList();
  const list = ["A", "B", "a"].map((number) => longOrder(number, 2_000, "TOTE"));
  await remember(list, 1);
  const found: unknown[] = [];
  for await (const { workOrder, bytes } of erp.listedBy("deliveryNumber", " tote ")) {
    expect(JSON.parse(bytes.toString())).toEqual(workOrder);
    found.push(workOrder);
  }
  expect(found).toEqual(list);
  expect(await erp.listedOrder("a")).toEqual(list[2]);
  expect(await erp.listedOrder("b")).toBeNull();
});

test("an order that is replaced while it is read is read as it is now", async () => {
  const { erp, remember } = erpList();
  await remember([longOrder("L", 30_000)], 1);
  const reading = erp.listedOrder("L");
  await remember([longOrder("L", 4_000)], 2);
  expect((await reading)?.requests).toHaveLength(4_000);
});

test("an order of a list is the latest, although it was replaced before a slow reader came to it", async () => {
  const { erp, remember } = erpList();
  const [short, long] = [longOrder("S", 3), longOrder("L", 6_000)];
  await remember([short, long], 1);
  const reading = erp.listed(() => true)[Symbol.iterator]();
  expect(JSON.parse(String(reading.next().value))).toEqual(short);
  const latest = longOrder("L", 4_000);
  await remember([short, latest], 2);
  const piece = reading.next().value;
  if (!(piece instanceof ReadyJsonSlices)) throw new Error("a long order is read while it is sent");
  expect(JSON.parse(String(await piece.bytes()))).toEqual(latest);
});

test("an order that gets the place of a removed one is not taken for it", async () => {
  const { erp, remember } = erpList();
  const first = longOrder("A", 4_000, "TOTE");
  await remember([first, longOrder("B", 4_000, "TOTE")], 1);
  const found: string[] = [];
  for await (const { workOrder } of erp.listedBy("deliveryNumber", "TOTE")) {
    found.push(workOrder.number);
    await remember([first], 2);
    await remember([first, longOrder("C", 9, "OTHER")], 3);
  }
  expect(found).toEqual(["A"]);
});

test("an order whose parts are lost is written again by the next list", async () => {
  const before = erpList();
  const list = [longOrder("L", 6_000), longOrder("M", 6_000)];
  await before.remember(list, 1);
  before.inFile("DELETE FROM listed_part WHERE part = 2 OR id < 4");
  const { remember, read } = before.reopened();
  await remember(list, 2);
  expect((await read()).toSorted(byNumber)).toEqual(list);
});

test("long orders are kept if the limits of a new version allow them", async () => {
  const before = erpList();
  const bad = { ...longOrder("B", 6_000), dueDate: "soon" };
  const list = [longOrder("L", 6_000), longOrder("S", 3)];
  await before.remember([...list, bad], 1);
  before.close();
  before.inFile("PRAGMA application_id = 7");
  const { read, warnings } = before.reopened();
  expect(await read()).toEqual(list);
  expect(JSON.stringify(warnings)).toMatch(/"records":1.*beyond the limits/);
});

test("a version that does not know parts checks the file, and does not serve the length of an order as an order", () => {
  const { inFile } = erpList();
  expect(inFile("PRAGMA application_id")).not.toBe(Number.parseInt(limitsMark().slice(0, 7), 16));
});

test("of a list that is too long nothing is kept, and the log says why", async () => {
  const { erp, remember, read, warnings } = erpList();
  await remember([longOrder("1", 2_000), longOrder("2", 9)], 1);
  expect(erp.listAt()).toBe(1);
  await remember(
    Array.from({ length: 50_001 }, (_, index) => longOrder(String(index), 0)),
    2,
  );
  expect(erp.listAt()).toBeNull();
  expect(await read()).toEqual([]);
  expect(JSON.stringify(warnings)).toMatch(/"orders":50001,.*too long to be stored as fallback data/);
  await remember([longOrder("2", 9)], 3);
  expect(erp.listAt()).toBe(3);
  expect(await read()).toEqual([longOrder("2", 9)]);
});
