import { expect, test } from "vitest";
import { atOnce } from "../../../test/support/floor/at-once.ts";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor } from "../../../test/support/floor/floor.ts";
import { longTextsIn } from "../../../test/support/floor/long-texts.ts";
import { pieceText } from "../../../test/support/floor/piece-text.ts";
import { readSizes } from "../../../test/support/floor/read-sizes.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { say } from "../../messages/message.ts";
import { ok, ReadyJsonList, ReadyJsonSlices } from "../../operation/outcome.ts";
import { fold, openOrderStore } from "../order-store.ts";
import { changeNoticesIn } from "./change-notice.ts";
import { findPutWallOrders } from "./find-put-wall-orders.ts";

function warehouse(...given: (Partial<WorkOrder> & { number: string })[]) {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  for (const members of given) orders.insert(workOrder(members), 1);
  const attach = (code: string, orderNumber: string | null) =>
    writer
      .statement("INSERT INTO container (code, folded, order_number, changed_at) VALUES (?, ?, ?, 1)")
      .run(code, fold(code), orderNumber);
  const query = findPutWallOrders({
    ...{ database: reader, notices: { of: changeNoticesIn(reader) } },
    ...{ longTexts: longTextsIn(reader), isSound: () => true },
  });
  const found = (code: string) => {
    const outcome = atOnce(query({ code }));
    if (!outcome.ok || !(outcome.data instanceof ReadyJsonList)) return outcome;
    return [...outcome.data.pieces].map((piece) => (JSON.parse(pieceText(piece)) as WorkOrder).number);
  };
  return { orders, attach, found };
}

test("a code is a container, else a delivery number, else an alternative start number, else an order number", () => {
  const { attach, found } = warehouse(
    { number: "X" },
    { number: "2", alternativeStartNumber: "X" },
    { number: "3", deliveryNumber: "X" },
    { number: "4" },
  );
  expect(found("4")).toEqual(["4"]);
  expect(found("X")).toEqual(["3"]);
  attach("X", "4");
  expect(found("X")).toEqual(["4"]);
});

test("an alternative start number goes before an order number", () => {
  const { found } = warehouse({ number: "X" }, { number: "2", alternativeStartNumber: "X" });
  expect(found("X")).toEqual(["2"]);
});

test("a delivery number stands for all its orders", () => {
  const { orders, found } = warehouse(
    { number: "1", deliveryNumber: "B-1" },
    { number: "2", deliveryNumber: "B-1" },
    { number: "3", deliveryNumber: "B-2" },
  );
  orders.recordWork("2");
  expect(found(" B-1 ")).toEqual(["1", "2"]);
});

test("exactly written goes before written in another letter case", () => {
  const { found } = warehouse({ number: "1", deliveryNumber: "b-1" }, { number: "2", deliveryNumber: "B-1" });
  expect(found("B-1")).toEqual(["2"]);
  expect(new Set(found("B-1".toLowerCase()) as string[])).toEqual(new Set(["1"]));
  const { found: foundAlone } = warehouse({ number: "1", deliveryNumber: "bä-1" });
  expect(foundAlone("BÄ-1")).toEqual(["1"]);
});

test("finished and cancelled orders are left out", () => {
  const { orders, found } = warehouse(
    { number: "1", deliveryNumber: "B" },
    { number: "2", deliveryNumber: "B" },
    { number: "3", deliveryNumber: "B" },
  );
  orders.setState("1", "finished");
  orders.setState("2", "cancelled");
  expect(found("B")).toEqual(["3"]);
  orders.setState("3", "finished");
  expect(found("B")).toEqual(ok([], { message: say("orders.put-wall-closed", { code: "B" }) }));
});

test("where all orders of a code were cancelled, the operator is told so", () => {
  const { orders, attach, found } = warehouse(
    { number: "1", deliveryNumber: "B" },
    { number: "2", deliveryNumber: "B" },
  );
  attach("T", "1");
  for (const number of ["1", "2"]) orders.setState(number, "cancelled");
  for (const code of ["B", "T", "2"]) {
    expect(found(code)).toEqual(ok([], { message: say("orders.put-wall-cancelled", { code }) }));
  }
});

test("an order that was cancelled after its end is told so, with what is to be put aside of it", () => {
  const floor = openFloor();
  const { database } = floor;
  const query = findPutWallOrders({
    ...{ database, notices: { of: changeNoticesIn(database) } },
    ...{ longTexts: longTextsIn(database), isSound: () => true },
  });
  const found = (code: string) => query({ code });
  const place = (workOrderNumber: string) =>
    floor.event("confirmPutWallPlacement", { workOrderNumber, itemNumber: "A", completedAmount: 2 });
  for (const number of ["1", "2"]) {
    floor.push(workOrder({ number, deliveryNumber: "B", requests: [line("A", 2)] }));
    place(number);
  }
  const closed = ok([], { message: say("orders.put-wall-closed", { code: "B" }) });
  expect(found("B")).toEqual(closed);
  floor.cancel({ workOrderNumber: "1" });
  // The delivery has another order that was not cancelled.
  expect(found("B")).toEqual(closed);
  expect(found("1")).toEqual(ok([], { message: say("events.order-cancelled", { order: "1", goods: "A × 2" }) }));
  floor.cancel({ workOrderNumber: "2" });
  expect(found("B")).toEqual(ok([], { message: say("orders.put-wall-cancelled", { code: "B" }) }));
  floor.push(workOrder({ number: "2", deliveryNumber: "B", requests: [line("A", 2)] }));
  expect(found("2")).toEqual(ok([], { message: say("orders.put-wall-closed", { code: "2" }) }));
});

test("a container that was released or whose order is done stands for nothing any more", () => {
  const { orders, attach, found } = warehouse({ number: "1" }, { number: "2", deliveryNumber: "T-2" });
  attach("T-1", null);
  attach("T-2", "1");
  orders.setState("1", "finished");
  expect(found("T-1")).toEqual(ok([], { message: say("orders.put-wall-unknown", { code: "T-1" }) }));
  expect(found("T-2")).toEqual(["2"]);
});

test("an unknown code is a success without orders, and a text", () => {
  const { found } = warehouse({ number: "1" });
  expect(found("?")).toEqual(ok([], { message: say("orders.put-wall-unknown", { code: "?" }) }));
  expect(found(" ")).toEqual(ok([], { message: say("orders.blank-code") }));
});

test("however many and long the orders of a code are, no query reads more than a megabyte in this thread", async () => {
  const { writer, reader } = embeddedStore();
  const orders = openOrderStore(writer);
  const lengths = [10, 1_200_000, ...Array<number>(100).fill(15_000), 100_000, 10];
  const given = lengths.map((length, index) =>
    workOrder({ number: `${index}`, deliveryNumber: "B", description: "ü".repeat(length / 2) }),
  );
  for (const order of given) orders.insert(order, 1);
  const read = readSizes(reader);
  const needs = { database: read.database, notices: { of: () => undefined }, longTexts: longTextsIn(reader) };
  const outcome = await findPutWallOrders({ ...needs, isSound: () => true })({ code: "b" });
  if (!outcome.ok || !(outcome.data instanceof ReadyJsonList)) throw new Error("a list was expected");
  const texts: string[] = [];
  for (const piece of outcome.data.pieces)
    texts.push(piece instanceof ReadyJsonSlices ? (await piece.bytes()).toString() : pieceText(piece));
  expect(texts.join(",") === given.map((order) => JSON.stringify(order)).join(",")).toBe(true);
  expect(read.largest()).toBeLessThan(2 ** 20);
  expect(await findPutWallOrders({ ...needs, isSound: () => false })({ code: "b" })).toEqual(ok(given));
});

test("the warnings about many cancelled orders of a code are collected in several turns", async () => {
  const floor = openFloor();
  const { database } = floor;
  const numbers = Array.from({ length: 12 }, (_, index) => `${index}`);
  for (const number of numbers) {
    floor.push(workOrder({ number, deliveryNumber: "B", requests: [line("A", 2)] }));
    floor.event("attachWorkOrder", { workOrderNumber: number, containerCode: `T${number}` });
    floor.cancel({ workOrderNumber: number });
  }
  const notice = changeNoticesIn(database);
  let inTurn = 0;
  let most = 0;
  const of = (number: string) => {
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
    most = Math.max(most, inTurn);
    return notice(number);
  };
  const needs = { database, notices: { of }, longTexts: longTextsIn(database), isSound: () => true };
  expect(await findPutWallOrders(needs)({ code: "B" })).toMatchObject({
    message: say("orders.put-wall-some-cancelled", { orders: "0, 1, 2, 3, 4, …" }),
  });
  expect(most).toBeLessThan(9);
});
