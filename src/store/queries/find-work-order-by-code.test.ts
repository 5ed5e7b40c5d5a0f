import { expect, test } from "vitest";
import { atOnce } from "../../../test/support/floor/at-once.ts";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor } from "../../../test/support/floor/floor.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import { readSizes } from "../../../test/support/floor/read-sizes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { say } from "../../messages/message.ts";
import { type Outcome, ok, ReadyJson, ReadyJsonSlices, refuse } from "../../operation/outcome.ts";
import { openOrderStore } from "../order-store.ts";
import { type ChangeNotice, changeNoticesIn } from "./change-notice.ts";
import { findWorkOrderByCode, readyAnswers } from "./find-work-order-by-code.ts";

function warehouse(...given: (Partial<WorkOrder> & { number: string })[]) {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  for (const members of given) orders.insert(workOrder(members), 1);
  const answers = readyAnswers<Outcome<"findWorkOrderByCode">>({ maxCount: 10, maxBytes: 10_000 });
  const query = findWorkOrderByCode({
    database: reader,
    answers,
    notices: { of: changeNoticesIn(reader) },
    longTexts: longTextsIn(reader),
    isSound: () => true,
  });
  const scan = (Code: string, StorageName?: string | null) =>
    atOnce(query(StorageName === undefined ? { Code } : { Code, StorageName }));
  const found = (code: string, storage?: string | null) => {
    const outcome = scan(code, storage);
    return outcome.ok && outcome.data instanceof ReadyJson ? JSON.parse(outcome.data.text).number : outcome;
  };
  return { orders, answers, scan, found };
}

test("a scan finds an order by number, alternative start number and external identifier", () => {
  const { found } = warehouse({ number: "N", alternativeStartNumber: "A", externalIdentifier: "E" });
  expect(["N", "A", "E"].map((code) => found(code))).toEqual(["N", "N", "N"]);
});

test("the number goes before the alternative start number, and that before the external identifier", () => {
  const { found } = warehouse(
    { number: "1", externalIdentifier: "X" },
    { number: "2", alternativeStartNumber: "X" },
    { number: "X" },
    { number: "3", externalIdentifier: "Y" },
    { number: "4", alternativeStartNumber: "Y" },
  );
  expect(found("X")).toBe("X");
  expect(found("Y")).toBe("4");
});

test("an exact match of any kind goes before one that differs in letter case", () => {
  const { found } = warehouse({ number: "abc" }, { number: "other", externalIdentifier: "ABC" });
  expect(found("ABC")).toBe("other");
  expect(found("abc")).toBe("abc");
  expect(found("Abc")).toBe("abc");
});

test("letter case and composed accents do not matter beyond ASCII either", () => {
  const { found } = warehouse({ number: "GRÖSSE-Ł1" });
  expect(found("grösse-ł1")).toBe("GRÖSSE-Ł1");
  expect(found("gro\u0308sse-ł1")).toBe("GRÖSSE-Ł1");
});

test("blanks around the code do not matter", () => {
  const { found } = warehouse({ number: "N 1" });
  expect(found("\t N 1 \r\n")).toBe("N 1");
});

test("an order bound to another storage is not found, and the text names that storage", () => {
  const { scan } = warehouse({ number: "N", designatedStorageName: "Hall B" });
  expect(scan("n", "Hall A")).toEqual(
    refuse("WorkOrderDoesNotExist", say("orders.other-storage", { number: "N", storage: "Hall B" })),
  );
});

test("storage names compare without regard to letter case", () => {
  const { found } = warehouse({ number: "N", designatedStorageName: "Hall B" });
  expect(found("N", " HALL b")).toBe("N");
});

test("an order bound to no storage matches every storage, and a scan that names none every order", () => {
  const { found } = warehouse(
    { number: "free" },
    { number: "blank", designatedStorageName: " " },
    { number: "bound", designatedStorageName: "B" },
  );
  expect(found("free", "A")).toBe("free");
  expect(found("blank", "A")).toBe("blank");
  expect(found("bound")).toBe("bound");
  expect(found("bound", null)).toBe("bound");
});

test("of several orders behind a code the first that fits the storage is found", () => {
  const { found } = warehouse(
    { number: "1", alternativeStartNumber: "CART", designatedStorageName: "A" },
    { number: "2", alternativeStartNumber: "CART", designatedStorageName: "B" },
    { number: "3", alternativeStartNumber: "CART", designatedStorageName: "B" },
  );
  expect(found("CART", "B")).toBe("2");
});

test("a scan still finds an order that was started", () => {
  const { orders, found } = warehouse({ number: "N" });
  orders.recordWork("N");
  expect(found("N")).toBe("N");
});

test("a finished order is not offered again, and a cancelled one is to be put aside", () => {
  const { orders, scan } = warehouse({ number: "F" }, { number: "C" });
  orders.setState("F", "finished");
  orders.setState("C", "cancelled");
  expect(scan("f")).toEqual(refuse("WorkOrderDoesNotExist", say("orders.finished", { number: "F" })));
  expect(scan("C")).toEqual(refuse("WorkOrderDoesNotExist", say("orders.cancelled", { number: "C" })));
});

test("a code used again is the order still to be done, not the one done before", () => {
  const { orders, found } = warehouse(
    { number: "1", alternativeStartNumber: "CART" },
    { number: "2", alternativeStartNumber: "CART" },
  );
  orders.setState("1", "finished");
  expect(found("CART")).toBe("2");
});

test("an unknown code is not found, and the text shows no more of it than fits a device", () => {
  const { scan } = warehouse({ number: "N" });
  expect(scan("M")).toEqual(refuse("WorkOrderDoesNotExist", say("orders.unknown-code", { code: "M" })));
  expect(scan("M".repeat(4096))).toEqual(
    refuse("WorkOrderDoesNotExist", say("orders.unknown-code", { code: `${"M".repeat(60)}…` })),
  );
});

test("an empty code finds nothing, not even an order without an external identifier", () => {
  const { scan } = warehouse({ number: "N", externalIdentifier: "", alternativeStartNumber: " " });
  expect(scan("  ")).toEqual(refuse("WorkOrderDoesNotExist", say("orders.blank-code")));
});

test("the answer is the stored text itself, kept until the store was touched", () => {
  const { orders, answers, scan } = warehouse({ number: "N" });
  const first = scan("N", "A");
  expect(first).toEqual(ok(new ReadyJson(JSON.stringify(workOrder({ number: "N" })))));
  expect(scan("N", "A")).toBe(first);
  orders.setState("N", "cancelled");
  answers.drop();
  expect(scan("N", "A").ok).toBe(false);
});

test("a code and a storage are kept apart however they are written", () => {
  const { scan } = warehouse({ number: "N" });
  expect(scan("N", "A\u0000").ok).toBe(true);
  for (const code of ["NA", "N\u0000A", "N\u0000A\u0000"]) expect(scan(code, "").ok).toBe(false);
});

test("refusals are not kept: an order pushed a moment later is found", () => {
  const { orders, scan, found } = warehouse();
  expect(scan("N").ok).toBe(false);
  orders.insert(workOrder({ number: "N" }), 1);
  expect(found("N")).toBe("N");
});

test("the text about a very long order comes later, and its answer is kept only if nothing was stored meanwhile", async () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 10)] }));
  floor.event("attachWorkOrder", { workOrderNumber: "N", containerCode: "T1" });
  floor.cancel({ workOrderNumber: "N" });
  const { database } = floor;
  const answers = readyAnswers<Outcome<"findWorkOrderByCode">>({ maxCount: 10, maxBytes: 10_000 });
  let give: (notice: ChangeNotice | undefined) => void = () => {};
  const of = () => new Promise<ChangeNotice | undefined>((resolve) => (give = resolve));
  const scan = findWorkOrderByCode({
    database,
    answers,
    notices: { of },
    longTexts: longTextsIn(database),
    isSound: () => true,
  });
  const notice = changeNoticesIn(database)("N");
  const warned = { ok: true, message: say("events.order-cancelled", { order: "N", goods: "" }) };
  const first = scan({ Code: "N" });
  answers.drop();
  give(notice);
  expect(await first).toMatchObject(warned);
  const second = scan({ Code: "N" });
  expect(second).toBeInstanceOf(Promise);
  give(notice);
  expect(await second).toMatchObject(warned);
  expect(scan({ Code: "N" })).toMatchObject(warned);
});

test("a scan of a long order reads no more than a megabyte in this thread, and its answer is the stored text", async () => {
  const { writer, reader } = embeddedStore();
  const order = workOrder({ number: "N", description: "ü".repeat(1_500_000) });
  openOrderStore(writer).insert(order, 1);
  const read = readSizes(reader);
  const answers = readyAnswers<Outcome<"findWorkOrderByCode">>({ maxCount: 10, maxBytes: 10_000 });
  const needs = {
    database: read.database,
    answers,
    notices: { of: () => undefined },
    longTexts: longTextsIn(reader),
  };
  const outcome = await findWorkOrderByCode({ ...needs, isSound: () => true })({ Code: "n" });
  if (!outcome.ok || !(outcome.data instanceof ReadyJsonSlices)) throw new Error("slices were expected");
  expect((await outcome.data.bytes()).toString() === JSON.stringify(order)).toBe(true);
  expect(read.largest()).toBeLessThan(2 ** 20);
  // As an object if it has to be checked.
  expect(await findWorkOrderByCode({ ...needs, isSound: () => false })({ Code: "n" })).toEqual(ok(order));
});

test("a long order that is gone before it is read is not found", async () => {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  orders.insert(workOrder({ number: "N", description: "x".repeat(1_000_000) }), 1);
  const answers = readyAnswers<Outcome<"findWorkOrderByCode">>({ maxCount: 10, maxBytes: 10_000 });
  const needs = { database: reader, answers, notices: { of: () => undefined }, longTexts: longTextsIn(reader) };
  const scanned = findWorkOrderByCode({ ...needs, isSound: () => true })({ Code: "N" });
  orders.setState("N", "cancelled");
  expect(await scanned).toEqual(refuse("WorkOrderDoesNotExist", say("orders.cancelled", { number: "N" })));
});
