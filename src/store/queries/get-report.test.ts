import { expect, test } from "vitest";
import { embeddedStore, workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, openFloor, pick } from "../../../test/support/floor/floor.ts";
import { say } from "../../messages/message.ts";
import { ok, refuse } from "../../operation/outcome.ts";
import { openReport } from "./get-report.ts";

const query = (workOrdersNumbers: string[], remainingRequests: Record<string, number> = {}) => ({
  workOrdersNumbers,
  storageId: "S",
  remainingRequests,
});

test("missing is what remains of each item, where anything does", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N" }));
  expect(floor.report(query(["N"], { A: 2, B: 0, C: -1, D: 0.5 }))).toEqual(
    ok({ missingQuantities: { A: 2, D: 0.5 }, placements: [] }),
  );
});

test("placements are the confirmed amounts of those orders by item and location", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 9), line("B", 9)] }));
  const all = { requested: 9, remaining: 9, picked: 4 };
  floor.event("confirmStep", pick("N", 1, all));
  floor.event("confirmStep", pick("N", 2, all, { itemNumber: "B" }));
  floor.event("confirmStep", pick("M", 3, all));
  floor.event("confirmStep", pick("not asked for", 4, all));
  expect(floor.report(query(["N", "M", "N"]))).toEqual(
    ok({
      missingQuantities: {},
      placements: [
        { itemNumber: "A", locationName: "L1", amount: 8 },
        { itemNumber: "B", locationName: "L1", amount: 4 },
      ],
    }),
  );
});

test("fractions add up to what an operator would write", () => {
  const floor = openFloor();
  for (const number of ["N", "M"]) floor.push(workOrder({ number, requests: [line("A", 9), line("B", 9)] }));
  const place = (workOrderNumber: string, itemNumber: string, completedAmount: number) =>
    floor.event("confirmPutWallPlacement", {
      workOrderNumber,
      itemNumber,
      completedAmount,
      confirmedLocationName: "W1",
    });
  place("N", "A", 0.1);
  place("N", "A", 0.2);
  place("M", "B", 0.1);
  place("N", "B", 0.2);
  const placements = [
    { itemNumber: "A", locationName: "W1", amount: 0.3 },
    { itemNumber: "B", locationName: "W1", amount: 0.3 },
  ];
  expect(floor.report(query(["N", "M"]))).toEqual(ok({ missingQuantities: {}, placements }));
  expect(floor.placements("N")[0]).toMatchObject({ amount: 0.3 });
});

test("an amount beyond all measure stays a number", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N" }));
  floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "A-1", completedAmount: 1e305 });
  expect(floor.report(query(["N"]))).toMatchObject({ data: { placements: [{ amount: 1e305 }] } });
});

test("a number is matched exactly, else whatever its letter case", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "Größe-1", requests: [line("A", 9)] }));
  floor.event("confirmStep", pick("Größe-1", 1, { requested: 9, remaining: 9, picked: 4 }));
  expect(floor.report(query(["GRÖßE-1"]))).toMatchObject({ ok: true, data: { placements: [{ amount: 4 }] } });
});

test("all numbers unknown is refused", () => {
  expect(openFloor().report(query(["X", "Y"]))).toEqual(
    refuse("WorkOrderDoesNotExist", say("events.report-all-unknown", { orders: "X, Y" })),
  );
});

test("some numbers unknown is a success with a text that names them; numbers from a file are known", () => {
  const floor = openFloor();
  floor.orders.remember(["N"]);
  expect(floor.report(query(["N", "X"]))).toEqual(
    ok({ missingQuantities: {}, placements: [] }, { message: say("events.report-some-unknown", { orders: "X" }) }),
  );
});

test("no numbers at all is an empty report", () => {
  expect(openFloor().report(query([]))).toEqual(ok({ missingQuantities: {}, placements: [] }));
});

test("a report is long by the lines of its orders and by their places, not by how many numbers it names", () => {
  const { writer, reader } = embeddedStore();
  const line = writer.statement(
    "INSERT INTO quantity (order_number, position, item_number, unit, requested, places) VALUES (?, ?, 'A', 0, 1, ?)",
  );
  for (let position = 0; position < 1_001; position++) line.run("LINES", position, null);
  line.run("PLACES", 0, JSON.stringify(Array.from({ length: 5_000 }, (_, nth) => [`location-${nth}`, 1])));
  line.run("SHORT", 0, '[["A",1]]');
  const { isLong } = openReport({ database: reader });
  const asked = (...workOrdersNumbers: string[]) => isLong({ storageId: "", workOrdersNumbers, remainingRequests: {} });
  expect(asked("LINES")).toBe(true);
  expect(asked("SHORT", "PLACES")).toBe(true);
  expect(asked("SHORT", ...Array.from({ length: 100 }, (_, nth) => `unknown ${nth}`))).toBe(false);
});
