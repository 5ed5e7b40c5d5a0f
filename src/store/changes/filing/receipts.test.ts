import fc from "fast-check";
import { expect, test } from "vitest";
import { SimulatedPlatform } from "../../../../test/support/adapter/simulated-platform.ts";
import { workOrder } from "../../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick, updateOf } from "../../../../test/support/floor/floor.ts";
import type { ChangeReceipt } from "../../../contract/change-receipt.ts";
import { WorkOrderStatus } from "../../../contract/enums.ts";
import { openReceipts } from "./receipts.ts";

const removedAfterMs = 60_000;

/** A floor, and the receipts given to the external system after each event. */
function openDesk() {
  const floor = openFloor();
  const receipts = openReceipts({
    database: floor.database,
    drainChanged: floor.changes.drainChanged,
    settleByTime: (entry) => floor.settleByTime(entry.receivedAt - removedAfterMs, entry),
  });
  const given: ChangeReceipt[] = [];
  const take = (receivedAt = 5_000): ChangeReceipt[] => {
    const emissions = receipts.drain({ id: "evt_x", seq: 1, topic: "stock", payload: {}, receivedAt });
    const payloads = emissions.map(({ payload }) => payload as ChangeReceipt);
    given.push(...payloads);
    return payloads;
  };
  return { floor, receipts, given, take, takeLater: () => take(5_000 + removedAfterMs) };
}

/** 10 A and 5 B, begun with one A. */
function running() {
  const desk = openDesk();
  desk.floor.push(
    workOrder({ number: "N", requests: [line("A", 10, { requestExternalIdentifier: "e1" }), line("B", 5)] }),
  );
  desk.floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 1 }));
  return desk;
}

const stepWith = (floor: Floor, amounts: Parameters<typeof pick>[2], shownA: object) => {
  const itemRequests = [
    { requestId: 1, itemNumber: "A", requestedAmount: 10, ...shownA },
    { requestId: 2, itemNumber: "B", requestedAmount: 5 },
  ];
  floor.event("confirmStep", pick("N", 1, amounts, { updateWorkOrderRequest: { id: 1, itemRequests } }));
};

test("a change that the platform shows as applied is told with the step and what was picked", () => {
  const { floor, take } = running();
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "e1", requestedAmount: 4, reason: "sold out" });
  expect(take()).toEqual([]);
  stepWith(floor, { requested: 10, remaining: 9, picked: 1 }, {});
  expect(take()).toEqual([]);
  stepWith(floor, { requested: 4, remaining: 2, picked: 1 }, { requestedAmount: 4 });
  expect(take()).toEqual([
    {
      changeId: "evt_3-1",
      pushId: "evt_3",
      workOrderNumber: "N",
      requestExternalIdentifier: "e1",
      receipt: "applied",
      atStep: 3,
      pickedAmount: 3,
      requestedAmount: 4,
      reason: "sold out",
    },
  ]);
});

test("receipts of lines that only their lots tell apart name the lot", () => {
  const { floor, takeLater } = openDesk();
  const withLots = (one: number, other: number) =>
    workOrder({ number: "N", requests: [line("A", one, { lotNumber: "x" }), line("A", other, { lotNumber: "y" })] });
  floor.push(withLots(5, 5));
  floor.push(withLots(3, 3));
  expect(takeLater()).toMatchObject([
    { itemNumber: "A", lotNumber: "x", requestedAmount: 3, receipt: "removed" },
    { itemNumber: "A", lotNumber: "y", requestedAmount: 3, receipt: "removed" },
  ]);
});

test("a receipt is stored in the lane of its order", () => {
  const { floor, receipts } = running();
  floor.cancel({ workOrderNumber: "N", requestExternalIdentifier: "e1" });
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Completed });
  const entry = { id: "evt_x", seq: 1, topic: "stock", payload: {}, receivedAt: 5_000 };
  expect(receipts.drain(entry)).toMatchObject([{ topic: "changeReceipt", lanes: ["wo:N"] }]);
});

test("what was picked before the platform could know makes the change partly met, or too late", () => {
  const partly = running();
  partly.floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  stepWith(partly.floor, { requested: 10, remaining: 9, picked: 2 }, {});
  stepWith(partly.floor, { requested: 3, remaining: 0, picked: 0 }, { requestedAmount: 3 });
  expect(partly.take()).toMatchObject([{ receipt: "partly", pickedAmount: 3, requestedAmount: 0 }]);

  const late = running();
  late.floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 9, picked: 9 }));
  late.floor.event("confirmStep", pick("N", 2, { requested: 5, remaining: 5, picked: 5 }, { itemNumber: "B" }));
  late.floor.cancel({ workOrderNumber: "N" });
  expect(late.take()).toMatchObject([{ receipt: "too-late", pickedAmount: 15 }]);
});

test("a placement at the put wall that ends a cancelled item reports the difference", () => {
  const { floor, take } = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "B", completedAmount: 2 });
  expect(take()).toEqual([]);
  floor.event("confirmPutWallPlacement", { workOrderNumber: "N", itemNumber: "B", completedAmount: 3 });
  expect(take()).toMatchObject([{ receipt: "too-late", itemNumber: "B", pickedAmount: 5, requestedAmount: 0 }]);
});

test("an amount that takes nothing away is told once the platform shows the line", () => {
  const { floor, take } = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B", requestedAmount: 7 });
  expect(take()).toEqual([]);
  stepWith(floor, { requested: 10, remaining: 9, picked: 1 }, {});
  expect(take()).toMatchObject([{ receipt: "removed", requestedAmount: 7 }]);
});

test("a cancelled order is told once all of its lines are done with, and not again", () => {
  const { floor, take, takeLater } = running();
  floor.cancel({ workOrderNumber: "N" });
  const cancelled = [
    { requestId: 1, itemNumber: "A", requestedAmount: 10 },
    { requestId: 2, itemNumber: "B", requestedAmount: 5 },
  ];
  const step = (itemRequests: object[]) =>
    floor.event(
      "confirmStep",
      pick("N", 1, { requested: 10, remaining: 9, picked: 0 }, { updateWorkOrderRequest: { itemRequests } }),
    );
  step(cancelled);
  expect(take()).toEqual([]);
  step(cancelled.map((one) => ({ ...one, isCancelled: true })));
  expect(take()).toMatchObject([{ receipt: "partly", pickedAmount: 1 }]);
  step(cancelled.map((one) => ({ ...one, isCancelled: true })));
  floor.event("changeStatus", { number: "N", status: WorkOrderStatus.Completed });
  expect([...take(), ...takeLater()]).toEqual([]);
});

test("removed is told when the platform shows the new content", () => {
  const { floor, take } = openDesk();
  floor.push(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  expect(take()).toEqual([]);
  stepWith(floor, { requested: 4, remaining: 4, picked: 1 }, { requestedAmount: 4 });
  expect(take()).toMatchObject([{ receipt: "removed", itemNumber: "A", requestedAmount: 4 }]);
});

test("removed is not told where the platform turns out to have the old line: the one receipt says what became of it", () => {
  const { floor, take, takeLater } = openDesk();
  floor.push(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  stepWith(floor, { requested: 10, remaining: 10, picked: 3 }, {});
  expect(take()).toEqual([]);
  stepWith(floor, { requested: 3, remaining: 0, picked: 0 }, { requestedAmount: 3 });
  expect(take()).toMatchObject([{ receipt: "partly", pickedAmount: 3 }]);
  expect(takeLater()).toEqual([]);
});

test("an order cancelled before anybody began it is told as removed after a while without a sign of it", () => {
  const { floor, take, takeLater } = openDesk();
  floor.push(workOrder({ number: "N", requests: [line("A", 10)] }));
  floor.cancel({ workOrderNumber: "N" });
  expect(take()).toEqual([]);
  expect(takeLater()).toMatchObject([{ workOrderNumber: "N", receipt: "removed", requestedAmount: 0 }]);
  expect(takeLater()).toEqual([]);
});

const shownBy = (floor: Floor, shownA: object = {}) => {
  const itemRequests = [
    { requestId: 1, itemNumber: "A", requestedAmount: 10, ...shownA },
    { requestId: 2, itemNumber: "B", requestedAmount: 5 },
  ];
  const amounts = { requested: 5, remaining: 5, picked: 5 };
  floor.event("confirmStep", pick("N", 2, amounts, { itemNumber: "B", updateWorkOrderRequest: { itemRequests } }));
};

test("a change that went out with the order's last step is told after a while, and the order has ended", () => {
  const { floor, take, takeLater } = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  shownBy(floor);
  expect(take()).toEqual([]);
  expect(floor.orders.find("N")?.state).toBe("started");
  expect(takeLater()).toMatchObject([{ receipt: "partly", itemNumber: "A", pickedAmount: 1, requestedAmount: 0 }]);
  expect(floor.orders.find("N")?.state).toBe("finished");
  expect(floor.ledgerLines("N")).toMatchObject([
    { item: "A", requested: 10, picked: 1, cancelled: 9 },
    { item: "B", requested: 5, picked: 5, cancelled: 0 },
  ]);
  expect(takeLater()).toEqual([]);
});

test("a reduction that went out and was picked up to is applied; what is open beyond it stays open", () => {
  const { floor, takeLater } = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  shownBy(floor);
  expect(takeLater()).toMatchObject([{ receipt: "applied", pickedAmount: 1, requestedAmount: 4 }]);
  expect(floor.ledgerLines("N")).toMatchObject([{ item: "A", requested: 10, picked: 1, cancelled: 6 }, { item: "B" }]);
  expect(floor.orders.find("N")?.state).toBe("started");
});

test("a step that shows the old line after its change was told offers it again, and nothing is told twice", () => {
  const { floor, takeLater } = running();
  floor.cancel({ workOrderNumber: "N" });
  shownBy(floor);
  expect(takeLater()).toMatchObject([{ receipt: "partly", pickedAmount: 6 }]);
  expect(floor.orders.find("N")?.state).toBe("cancelled");
  const itemRequests = [{ requestId: 1, itemNumber: "A", requestedAmount: 10 }];
  const late = pick("N", 1, { requested: 10, remaining: 9, picked: 1 }, { updateWorkOrderRequest: { itemRequests } });
  expect(updateOf(floor.event("confirmStep", late))?.itemRequests).toMatchObject([{ requestedAmount: 2 }]);
  expect(takeLater()).toEqual([]);
});

test("a change that nobody was offered waits on, however long", () => {
  const { floor, takeLater } = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  expect(takeLater()).toEqual([]);
  expect(floor.receipts("N")).toMatchObject([{ state: "pending", offered: 0 }]);
});

test("a change that a newer one takes the place of has no receipt, the newer one has", () => {
  const { floor, take, takeLater } = openDesk();
  floor.push(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 4 });
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 2 });
  floor.push(workOrder({ number: "N", requests: [line("A", 10), line("B", 5)] }));
  expect([...take(), ...takeLater()]).toEqual([]);
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  expect(takeLater()).toMatchObject([{ itemNumber: "B", receipt: "removed" }]);
});

const items = ["A", "B", "C"] as const;
const happening = fc.oneof(
  fc.record({ kind: fc.constant("pick" as const), at: fc.nat(2), amount: fc.nat(6), lost: fc.boolean() }),
  fc.record({ kind: fc.constant("reduce" as const), at: fc.nat(2), amount: fc.nat(12) }),
  fc.record({ kind: fc.constant("cancel" as const) }),
  fc.record({ kind: fc.constant("giveUp" as const), at: fc.nat(2) }),
);

test("whatever happens, each change is told once at most, and in the end each one that stands is told as it stands", () => {
  const { floor, given, take, takeLater } = openDesk();
  let count = 0;
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 15 }),
      fc.constantFrom("patching" as const, "replacing" as const),
      (happened, reading) => {
        count += 1;
        const number = `N${count}`;
        given.length = 0;
        floor.push(workOrder({ number, requests: items.map((item) => line(item, 6)) }));
        const platform = new SimulatedPlatform(floor, reading, number, { A: 6, B: 6, C: 6 });
        for (const one of happened) {
          const itemNumber = "at" in one ? (items[one.at] ?? "A") : "A";
          if (one.kind === "pick") platform.pick(one.at, one.amount, one.lost ? "lost" : "applied");
          else if (one.kind === "reduce")
            floor.cancel({ workOrderNumber: number, itemNumber, requestedAmount: one.amount });
          else if (one.kind === "cancel") floor.cancel({ workOrderNumber: number });
          else platform.giveUp(one.at);
          take();
        }
        // The platform reports that it is done: nothing can change any more.
        floor.event("changeStatus", { number, status: WorkOrderStatus.Completed });
        takeLater();
        const told = given.map(({ changeId, receipt, pickedAmount }) => [changeId, receipt, pickedAmount ?? null]);
        const standing = floor.database
          .statement(
            "SELECT entry_id || '-' || id, state, picked FROM change WHERE order_number = ? AND receipt <> 'none'",
          )
          .all(number)
          .map((row) => Object.values(row));
        expect(told.toSorted()).toEqual(standing.toSorted());
        const untold = floor.receipts(number).filter(({ state }) => state === "pending");
        expect(untold).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([false, true])(
  "silence takes over no line that is known under a new id by a model only (offered under the one before: %s)",
  (isOffered) => {
    const { floor, takeLater } = openDesk();
    const order = (...[a, b]: readonly [number, number]) =>
      workOrder({
        number: "N",
        requests: [
          line("A", a, { requestExternalIdentifier: "e1" }),
          line("B", b, { requestExternalIdentifier: "e2" }),
        ],
      });
    const model = (...[first, second]: readonly [number, number]) => ({
      id: 1,
      itemRequests: [
        { requestId: first, itemNumber: "A", externalIdentifier: "e1", requestedAmount: 6 },
        { requestId: second, itemNumber: "B", externalIdentifier: "e2", requestedAmount: 5 },
      ],
    });
    const stepA = (remaining: number) => {
      const members = { requestExternalIdentifier: "e1", updateWorkOrderRequest: model(1, 2) };
      floor.event("confirmStep", pick("N", 1, { requested: 6, remaining, picked: 1 }, members));
    };
    floor.push(order(6, 5));
    stepA(6);
    floor.push(order(4, 3));
    if (isOffered) stepA(5);
    const members = { itemNumber: "B", requestExternalIdentifier: "e2", updateWorkOrderRequest: model(11, 12) };
    const step = pick("N", 12, { requested: 5, remaining: 5, picked: 1 }, members);
    expect(updateOf(floor.event("confirmStep", step))?.itemRequests).toMatchObject([
      { requestedAmount: 6 },
      { requestedAmount: 3 },
    ]);
    expect(takeLater()).toMatchObject([{ requestExternalIdentifier: "e2", receipt: "applied" }]);
    expect(floor.ledgerLines("N")[0]).toMatchObject({ item: "A", requested: 6, cancelled: 0 });
  },
);

test("a cancellation that is taken back gets no receipt, also if a line that was removed before it stays out", () => {
  const { floor, take, takeLater } = openDesk();
  const [a, b] = [
    line("A", 10, { requestExternalIdentifier: "e1" }),
    line("B", 5, { requestExternalIdentifier: "e2" }),
  ];
  floor.push(workOrder({ number: "N", requests: [a, b] }));
  floor.push(workOrder({ number: "N", requests: [b] }));
  floor.cancel({ workOrderNumber: "N" });
  floor.push(workOrder({ number: "N", requests: [b] }));
  const itemRequests = [{ requestId: 2, itemNumber: "B", externalIdentifier: "e2", requestedAmount: 5 }];
  const names = { itemNumber: "B", requestExternalIdentifier: "e2" };
  const step = { ...names, updateWorkOrderRequest: { id: 1, itemRequests } };
  floor.event("confirmStep", pick("N", 2, { requested: 5, remaining: 5, picked: 5 }, step));
  expect([...take(), ...takeLater()]).toEqual([]);
});

test("a cancellation that is taken back for other lines only is told of the lines that it took away", () => {
  const { floor, take } = openDesk();
  const [a, b] = [
    line("A", 10, { requestExternalIdentifier: "e1" }),
    line("B", 5, { requestExternalIdentifier: "e2" }),
  ];
  floor.push(workOrder({ number: "N", requests: [a] }));
  floor.cancel({ workOrderNumber: "N" });
  floor.push(workOrder({ number: "N", requests: [b] }));
  const itemRequests = [{ requestId: 2, itemNumber: "B", externalIdentifier: "e2", requestedAmount: 5 }];
  const names = { itemNumber: "B", requestExternalIdentifier: "e2" };
  const step = { ...names, updateWorkOrderRequest: { id: 1, itemRequests } };
  floor.event("confirmStep", pick("N", 2, { requested: 5, remaining: 5, picked: 5 }, step));
  expect(take()).toMatchObject([{ pushId: "evt_2", receipt: "removed", pickedAmount: 0 }]);
});
