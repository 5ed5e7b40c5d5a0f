import { expect, test } from "vitest";
import { workOrder } from "../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../test/support/floor/floor.ts";
import { UnitOfMeasure } from "../contract/enums.ts";
import { integer, row } from "../kit/sqlite/row.ts";
import { doubtfulOrders, explainOrder, stepAmounts } from "./read-order-history.ts";

const step = (shown: number, remaining: number, picked: number) => {
  const updateWorkOrderRequest = { itemRequests: [{ requestId: 7, itemNumber: "A", requestedAmount: shown }] };
  return pick("N", 7, { requested: shown, remaining, picked }, { updateWorkOrderRequest });
};

test("every step of a changed order keeps wanted, shown, picked and offered side by side", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 6)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 3 });
  floor.event("confirmStep", step(6, 6, 1));
  floor.event("confirmStep", step(3, 2, 1));
  expect([...stepAmounts(floor.database)("N").values()].map((read) => read())).toEqual([
    [{ line: "A", wanted: 3, shown: 6, picked: 1, offered: 3 }],
    [{ line: "A", wanted: 3, shown: 3, picked: 2, offered: null }],
  ]);
});

test("a step of a long history has all lines, although it stores only those that it has changed", () => {
  const floor = openFloor();
  const items = ["A", "B", "C"];
  floor.push(workOrder({ number: "N", requests: items.map((item) => line(item, 900)) }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "C", requestedAmount: 800 });
  const itemRequests = items.map((itemNumber, nth) => ({ requestId: 7 + nth, itemNumber, requestedAmount: 900 }));
  for (let nth = 0; nth < 300; nth++) {
    floor.event("confirmStep", {
      ...pick("N", 7, { requested: 900, remaining: 900 - nth, picked: 1 }),
      updateWorkOrderRequest: { itemRequests },
    });
  }
  const read = [...stepAmounts(floor.database)("N").values()].map((one) => one());
  // At least 200 steps are kept.
  expect(read.length).toBeGreaterThanOrEqual(200);
  expect(read.length).toBeLessThan(300);
  const first = 300 - read.length;
  expect(read).toEqual(
    read.map((_, nth) => [
      { line: "A", wanted: 900, shown: 900, picked: first + nth + 1, offered: null },
      { line: "B", wanted: 900, shown: 900, picked: 0, offered: null },
      { line: "C", wanted: 800, shown: 900, picked: 0, offered: 800 },
    ]),
  );
  const stored = floor.database
    .query("SELECT max(length(lines)) AS most FROM step_amounts WHERE whole = 0", row({ most: integer }))
    .get();
  expect(stored?.most).toBeLessThan(JSON.stringify(read[0]).length / 2);
});

test("an explanation has every line with what is wanted, shown and picked, over the order and its follow-ups", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  floor.event("confirmStep", step(5, 5, 2));
  floor.push(workOrder({ number: "N", requests: [line("A", 8)] }));
  const explanation = {
    order: "N",
    orders: [
      { number: "N", state: "started" },
      { number: "N-F1", state: "waiting" },
    ],
    lines: [
      {
        ...{ line: "A", itemNumber: "A", wanted: 8, unit: "Piece", factor: 1, cut: 0, picked: 2, tooMuch: 0 },
        orders: [
          { number: "N", shown: 5, picked: 2, target: 5 },
          { number: "N-F1", shown: null, picked: 0, target: 3 },
        ],
      },
    ],
  };
  expect(explainOrder(floor.database)("N")).toEqual(explanation);
  expect(explainOrder(floor.database)("N-F1")).toEqual(explanation);
});

test("what is too much is told over all lines of the item, as the operator is told", () => {
  const floor = openFloor();
  const lines = [line("A", 5, { requestExternalIdentifier: "L1" }), line("A", 4, { requestExternalIdentifier: "L2" })];
  floor.push(workOrder({ number: "N", requests: lines }));
  const picked = pick("N", 7, { requested: 5, remaining: 5, picked: 5 }, { requestExternalIdentifier: "L1" });
  floor.event("confirmStep", picked);
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "L1" });
  const tooMuch = () => explainOrder(floor.database)("N")?.lines.map((own) => own.tooMuch);
  expect(tooMuch()).toEqual([1, 0]);
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "L2", requestedAmount: 5 });
  expect(tooMuch()).toEqual([0, 0]);
});

test("an order that never changed is explained too, and one that nobody knows is not", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  expect(explainOrder(floor.database)("N")).toMatchObject({ order: "N", lines: [{ wanted: 5, picked: 0 }] });
  floor.event("confirmStep", pick("X", 7, { requested: 5, picked: 2 }));
  expect(explainOrder(floor.database)("X")).toMatchObject({
    orders: [{ state: "not known here" }],
    lines: [{ picked: 2 }],
  });
  expect(explainOrder(floor.database)("nobody")).toBeNull();
});

test("an order is in doubt as long as somebody picks a changed line whose unit is not certain", () => {
  const floor = openFloor();
  const inDoubt = doubtfulOrders(floor.database);
  floor.push(workOrder({ number: "N", requests: [line("A", 4, { unitOfMeasure: UnitOfMeasure.Meter })] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 2 });
  expect(inDoubt()).toEqual({ count: 0, orders: [] });
  floor.event("confirmStep", step(2000, 2000, 100));
  expect(inDoubt()).toEqual({ count: 1, orders: ["N"] });
  floor.event("changeStatus", { number: "N", status: 3 });
  expect(inDoubt()).toEqual({ count: 0, orders: [] });
});

test("an explanation has the unit of a line that nobody has shown, with an external id or without", () => {
  const floor = openFloor();
  const kilograms = { unitOfMeasure: UnitOfMeasure.Kilogram } as const;
  const lines = [line("A", 3, kilograms), line("B", 2, { ...kilograms, requestExternalIdentifier: "e" })];
  floor.push(workOrder({ number: "N", requests: lines }));
  expect(explainOrder(floor.database)("N")?.lines.map(({ unit }) => unit)).toEqual(["Kilogram", "Kilogram"]);
});
