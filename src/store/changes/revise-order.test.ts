import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick, updateOf } from "../../../test/support/floor/floor.ts";

const content = (amounts: Record<string, number>, description = "first") =>
  workOrder({
    number: "N",
    description,
    deliveryNumber: "D",
    requests: Object.entries(amounts).map(([item, amount]) => line(item, amount)),
  });

/** 10 A and 5 B, begun with one A. */
function running(): Floor {
  const floor = openFloor();
  floor.push(content({ A: 10, B: 5 }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 1 }));
  return floor;
}
const followUp = (floor: Floor, position: number) => floor.orders.find(`N-F${position}`);
const changesOf = (floor: Floor) =>
  floor.receipts("N").flatMap(({ state, target }) => (state === "pending" ? [target] : []));
const amountsOf = (floor: Floor, position: number) =>
  followUp(floor, position)?.workOrder.requests.map((request) => [request.itemNumber, request.requestedAmount]);

test("lower amounts and vanished lines of a running order become changes", () => {
  const floor = running();
  floor.push(content({ A: 4 }, "second"));
  expect(changesOf(floor)).toEqual([4, 0]);
  expect(followUp(floor, 1)).toBeUndefined();
});

test("higher amounts and new lines wait as a follow-up order with only what is added", () => {
  const floor = running();
  floor.push(content({ A: 12, B: 5, C: 3 }, "second"));
  expect(changesOf(floor)).toEqual([]);
  expect(followUp(floor, 1)).toMatchObject({
    state: "waiting",
    workOrder: { number: "N-F1", deliveryNumber: "D", description: "Follows N: second" },
  });
  expect(amountsOf(floor, 1)).toEqual([
    ["A", 2],
    ["C", 3],
  ]);
});

test("the same content pushed twice adds nothing twice", () => {
  const floor = running();
  for (let time = 0; time < 2; time++) floor.push(content({ A: 12, B: 2 }, "second"));
  expect(followUp(floor, 2)).toBeUndefined();
  expect(floor.receipts("N")).toHaveLength(1);
});

test("what is added later raises the follow-up order that nobody has begun, else it comes as another one", () => {
  const floor = running();
  floor.push(content({ A: 12, B: 5 }, "second"));
  floor.push(content({ A: 13, B: 5 }, "third"));
  expect([amountsOf(floor, 1), followUp(floor, 2)]).toEqual([[["A", 3]], undefined]);
  floor.event("confirmStep", pick("N-F1", 9, { requested: 3, remaining: 3, picked: 1 }));
  floor.push(content({ A: 14, B: 5 }, "fourth"));
  expect([amountsOf(floor, 1), amountsOf(floor, 2)]).toEqual([[["A", 3]], [["A", 1]]]);
});

test("what is taken back leaves the follow-up order before the running one", () => {
  const floor = running();
  floor.push(content({ A: 14, B: 5 }, "second"));
  floor.push(content({ A: 11, B: 5 }, "third"));
  expect(amountsOf(floor, 1)).toEqual([["A", 1]]);
  // The platform may have fetched the follow-up order with its earlier content.
  expect(changesOf(floor)).toEqual([11]);
  floor.push(content({ A: 8, B: 5 }, "fourth"));
  expect(followUp(floor, 1)?.state).toBe("cancelled");
  expect(changesOf(floor)).toEqual([8]);
});

test("a pushed cancellation of the order reaches its follow-up orders too", () => {
  const floor = running();
  floor.push(content({ A: 14, B: 5, C: 1 }, "second"));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A", requestedAmount: 12 });
  expect(amountsOf(floor, 1)).toEqual([
    ["A", 2],
    ["C", 1],
  ]);
  floor.cancel({ workOrderNumber: "N" });
  expect(followUp(floor, 1)?.state).toBe("cancelled");
});

test("a finished order that grows gets a follow-up order", () => {
  const floor = openFloor();
  floor.push(content({ A: 1 }));
  floor.event("confirmStep", pick("N", 1, { requested: 1, remaining: 1, picked: 1 }));
  expect(floor.orders.find("N")?.state).toBe("finished");
  floor.push(content({ A: 3 }, "second"));
  expect(amountsOf(floor, 1)).toEqual([["A", 2]]);
  expect(floor.orders.find("N")?.state).toBe("finished");
});

test("a change nobody was told of is withdrawn when the ERP wants the line again", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  floor.push(content({ A: 10, B: 5 }, "second"));
  expect(floor.receipts("N")).toMatchObject([{ state: "superseded", receipt: "none" }]);
  expect(followUp(floor, 1)).toBeUndefined();
});

test("what is wanted again after it was offered comes as a follow-up order once the platform shows that it took the offer over", () => {
  const floor = running();
  floor.cancel({ workOrderNumber: "N", itemNumber: "B" });
  const next = (remaining: number, isCancelled: boolean) => {
    const updateWorkOrderRequest = {
      itemRequests: [{ requestId: 2, itemNumber: "B", requestedAmount: 5, isCancelled }],
    };
    const step = pick("N", 1, { requested: 10, remaining, picked: 1 }, { updateWorkOrderRequest });
    return updateOf(floor.event("confirmStep", step));
  };
  expect(next(9, false)).not.toBeNull();
  floor.push(content({ A: 10, B: 5 }, "second"));
  expect(followUp(floor, 1)).toBeUndefined();
  expect(next(8, true)).toBeNull();
  expect(amountsOf(floor, 1)).toEqual([["B", 5]]);
});

test("what was picked before a change could stop it is not asked for again", () => {
  const floor = openFloor();
  floor.push(content({ A: 10 }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 10 }));
  floor.cancel({ workOrderNumber: "N", itemNumber: "A" });
  floor.push(content({ A: 10 }, "second"));
  expect(followUp(floor, 1)).toBeUndefined();
});

test("a waiting order pushed with less is watched: the platform may have fetched it before", () => {
  const floor = openFloor();
  floor.push(content({ A: 10, B: 5 }));
  floor.push(content({ A: 4 }, "second"));
  expect(floor.receipts("N")).toMatchObject([
    { state: "pending", target: 4 },
    { state: "pending", target: 0 },
  ]);
  expect(followUp(floor, 1)).toBeUndefined();
});

test("a cancelled order pushed again before anybody began takes its cancellation back", () => {
  const floor = openFloor();
  floor.push(content({ A: 10 }));
  floor.cancel({ workOrderNumber: "N" });
  floor.push(content({ A: 10 }));
  expect(floor.orders.find("N")?.state).toBe("waiting");
  expect(changesOf(floor)).toEqual([]);
});

test("a cancellation sent twice is taken back as a whole: nothing is asked for twice", () => {
  const floor = openFloor();
  floor.push(content({ A: 10 }));
  for (let time = 0; time < 2; time++) floor.cancel({ workOrderNumber: "N" });
  floor.push(content({ A: 10 }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 1 }));
  floor.push(content({ A: 10 }, "second"));
  expect(followUp(floor, 1)).toBeUndefined();
});

test("an order of the ERP's own that looks like a follow-up is left alone", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N-F1", requests: [line("Z", 1)] }));
  floor.push(content({ A: 10 }));
  floor.event("confirmStep", pick("N", 1, { requested: 10, remaining: 10, picked: 1 }));
  floor.push(content({ A: 11 }, "second"));
  floor.cancel({ workOrderNumber: "N" });
  expect(followUp(floor, 1)).toMatchObject({ state: "waiting", workOrder: { requests: [{ itemNumber: "Z" }] } });
  expect(followUp(floor, 2)).toMatchObject({ state: "cancelled" });
});

test("a line that nobody knew comes with the follow-up order that it was pushed with", () => {
  const floor = openFloor();
  floor.push(workOrder({ number: "N", requests: [line("A", 5)] }));
  floor.event("confirmStep", pick("N", 1, { requested: 5, remaining: 5, picked: 1 }));
  floor.push(workOrder({ number: "N", requests: [line("A", 8)] }));
  floor.push(workOrder({ number: "N-F1", requests: [line("A", 3), line("C", 2)] }));
  expect(amountsOf(floor, 1)).toEqual([
    ["A", 3],
    ["C", 2],
  ]);
});
