import { expect, test } from "vitest";
import { workOrder } from "../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../test/support/floor/floor.ts";
import { orderFinder } from "./order-finder.ts";

test("orders are listed newest first, page by page, with their progress", () => {
  const floor = openFloor();
  for (const number of ["A", "B", "C"]) floor.push(workOrder({ number, requests: [line("I", 4)] }));
  floor.event("confirmStep", pick("B", 7, { requested: 4, picked: 1 }, { itemNumber: "I" }));
  const { list } = orderFinder(floor.database);
  const first = list({ limit: 2 });
  expect(first.orders.map(({ number }) => number)).toEqual(["C", "B"]);
  expect(first.orders[1]).toMatchObject({ state: "started", lines: 1, picked: 1 });
  const second = list({ limit: 2, ...(first.nextBefore === null ? {} : { before: first.nextBefore }) });
  expect(second).toMatchObject({ orders: [{ number: "A", state: "waiting", requested: 4, picked: 0 }] });
  expect(list({ limit: 5, state: "started" }).orders.map(({ number }) => number)).toEqual(["B"]);
});

test("an order is found by the beginning of its numbers in any letter case, and by its container", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "SO-4711", externalIdentifier: "Größe-9", requests: [line("I", 4)] }));
  floor.push(workOrder({ number: "SO-4712", requests: [line("I", 4)] }));
  floor.event("attachWorkOrder", { workOrderNumber: "SO-4712", containerCode: "Tote-1" });
  const numbers = (text: string) =>
    orderFinder(floor.database)
      .search(text, 10)
      .map(({ number }) => number);
  expect(numbers("so-47")).toEqual(["SO-4711", "SO-4712"]);
  expect(numbers("GRÖSSE")).toEqual([]);
  expect(numbers("GRÖßE")).toEqual(["SO-4711"]);
  expect(numbers("tote-1")).toEqual(["SO-4712"]);
  expect(numbers("%")).toEqual([]);
  expect(orderFinder(floor.database).containers("SO-4712")).toMatchObject([{ code: "Tote-1" }]);
});

test("the lines of an order show what was asked for before picking, and the ledger lines afterwards", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 6)] }));
  const { lines } = orderFinder(floor.database);
  expect(lines("N")).toMatchObject([{ itemNumber: "A", requested: 6, picked: 0, unit: "Piece" }]);
  floor.event("confirmStep", pick("N", 7, { requested: 6, picked: 2 }));
  expect(lines("N")).toMatchObject([{ itemNumber: "A", requested: 6, picked: 2, cancelled: 0 }]);
});

test("a line that was only placed at the put wall has no requested amount if another system holds the order", () => {
  const floor = openFloor();
  const place = (workOrderNumber: string) =>
    floor.event("confirmPutWallPlacement", { workOrderNumber, itemNumber: "A", completedAmount: 2 });
  floor.push(workOrder({ number: "N", requests: [line("A", 6)] }));
  for (const number of ["N", "ELSEWHERE"]) place(number);
  const { lines } = orderFinder(floor.database);
  expect(lines("N")).toMatchObject([{ requested: 6, picked: 2 }]);
  expect(lines("ELSEWHERE")).toMatchObject([{ itemNumber: "A", requested: null, picked: 2 }]);
});
