import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { line, pick } from "../../../test/support/floor/floor.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { ContainerFinished, OrderFinished } from "../../contract/derived-events.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { orderLane } from "../../operation/lane.ts";
import { openProjection } from "../store-projection.ts";
import type { DerivedTargets } from "./finishing.ts";

const both: DerivedTargets = { orderFinished: "erp", containerFinished: "wms" };

/** The derived events after each entry: the topic, and the name of what was finished. */
function ledger(derivedEvents: DerivedTargets = both) {
  const database = openDatabase(join(temporaryFolder(), "crossdock.db"));
  onTestFinished(() => database.close());
  let projection = openProjection(database, { derivedEvents, removedReceiptAfterMinutes: 60 });
  let seq = 0;
  const apply = (topic: string, payload: unknown) => {
    seq += 1;
    const applied = projection.apply({ id: `evt_${seq}`, seq, topic, payload, receivedAt: 1_000 + seq });
    return (applied.emits ?? []).filter((one) => one.topic.endsWith("Finished"));
  };
  return {
    apply,
    restart: () => {
      projection = openProjection(database, { derivedEvents });
    },
    rollBack: (work: () => void) => {
      database.exec("BEGIN");
      work();
      database.exec("ROLLBACK");
      projection.forget?.();
    },
  };
}

const twoLines = workOrder({ number: "N", requests: [line("A", 2), line("B", 3)] });
const first = pick("N", 1, { requested: 2, remaining: 2, picked: 2 });
const second = pick("N", 2, { requested: 3, remaining: 3, picked: 3 }, { itemNumber: "B" });

test("the entry that settles the last line finishes its container and the order, each for its own target in the order's lane", () => {
  const { apply } = ledger();
  apply("workOrders", twoLines);
  expect(apply("confirmStep", first)).toEqual([]);
  const told = apply("confirmStep", second);
  expect(told).toMatchObject([
    { topic: "containerFinished", target: "wms", lanes: [orderLane("N")], payload: { containerCode: "T1" } },
    { topic: "orderFinished", target: "erp", lanes: [orderLane("N")], payload: { outcome: "complete" } },
  ]);
});

test("the end is told once, whatever comes after it, and also after a restart", () => {
  const { apply, restart } = ledger();
  apply("workOrders", twoLines);
  apply("confirmStep", first);
  expect(apply("confirmStep", second)).toHaveLength(2);
  restart();
  expect(apply("confirmStep", pick("N", 2, { requested: 3, remaining: 0, picked: 1 }, { itemNumber: "B" }))).toEqual(
    [],
  );
  expect(apply("changeStatus", { number: "N", status: 3 })).toEqual([]);
  const moved = { containerCode: "T1", destinationLocationName: "D", workOrder: { number: "N" } };
  expect(apply("relocateCartContainers", [moved])).toEqual([]);
});

test("what was rolled back was not told", () => {
  const { apply, rollBack } = ledger();
  apply("workOrders", twoLines);
  apply("confirmStep", first);
  rollBack(() => expect(apply("confirmStep", second)).toHaveLength(2));
  expect(apply("confirmStep", second)).toHaveLength(2);
});

test("a container that is moved before its order is finished is told with its destination and its contents", () => {
  const { apply } = ledger();
  apply("workOrders", twoLines);
  apply("confirmStep", first);
  const moved = { containerCode: "t1", destinationLocationName: "D-4", workOrder: { number: "N" } };
  const [told] = apply("relocateCartContainers", [moved]);
  // The payload type of this topic.
  expect(told?.payload as ContainerFinished).toMatchObject({
    containerCode: "T1",
    destinationLocationName: "D-4",
    isOrderFinished: false,
    lines: [{ itemNumber: "A", confirmedAmount: 2 }],
  });
  expect(apply("confirmStep", second).map(({ topic }) => topic)).toEqual(["orderFinished"]);
});

test("what the floor gives up makes the order short; what the external system cancels does not", () => {
  const outcome = (
    how: (apply: ReturnType<typeof ledger>["apply"]) => ReturnType<ReturnType<typeof ledger>["apply"]>,
  ) => {
    const { apply } = ledger({ orderFinished: "erp" });
    apply("workOrders", twoLines);
    apply("confirmStep", first);
    // The payload type of this topic.
    return how(apply).map(({ payload }) => payload as OrderFinished);
  };
  const cut = { workOrderNumber: "N", request: { requestId: 2, itemNumber: "B" } };
  expect(outcome((apply) => apply("cancelWorkOrderRequest", cut))).toMatchObject([
    { outcome: "short", lines: [{ isComplete: true }, { requestedAmount: 3, confirmedAmount: 0, isComplete: false }] },
  ]);
  const model = { id: 5, itemRequests: [{ requestId: 1, itemNumber: "A", requestedAmount: 2 }] };
  const lowered = outcome((apply) => {
    apply("cancellations", { workOrderNumber: "N", itemNumber: "B" });
    return apply(
      "confirmStep",
      pick("N", 1, { requested: 2, remaining: 0, picked: 0 }, { updateWorkOrderRequest: model }),
    );
  });
  for (const one of lowered) expect(one.outcome).toBe("complete");
});

test("an order that is cancelled before anybody began is not finished", () => {
  const { apply } = ledger();
  apply("workOrders", twoLines);
  expect(apply("cancellations", { workOrderNumber: "N" })).toEqual([]);
});

test("an order from elsewhere is finished when the platform's own model shows no line open, or by its status", () => {
  const { apply } = ledger({ orderFinished: "erp" });
  const lines = [
    { requestId: 1, itemNumber: "A", requestedAmount: 2 },
    { requestId: 2, itemNumber: "B", requestedAmount: 3 },
  ];
  const members = { workOrderExternalIdentifier: "ext", updateWorkOrderRequest: { id: 5, itemRequests: lines } };
  expect(apply("confirmStep", { ...first, ...members })).toEqual([]);
  expect(apply("confirmStep", { ...second, ...members })).toMatchObject([
    { payload: { workOrderNumber: "N", workOrderExternalIdentifier: "ext", outcome: "complete" } },
  ]);
  expect(apply("confirmStep", { ...first, workOrderNumber: "M" })).toEqual([]);
  expect(apply("changeStatus", { number: "M", status: 3 })).toMatchObject([{ payload: { workOrderNumber: "M" } }]);
});

test("without anybody who asks, nothing is told and nothing is counted", () => {
  const { apply } = ledger({});
  apply("workOrders", twoLines);
  apply("confirmStep", first);
  expect(apply("confirmStep", second)).toEqual([]);
});
