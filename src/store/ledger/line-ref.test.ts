import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor, pick, updateOf } from "../../../test/support/floor/floor.ts";

const shown = (requestId: number, requestedAmount: number, externalIdentifier: string | null = null) => ({
  ...{ requestId, itemNumber: "A", requestedAmount, isCancelled: false, externalIdentifier },
});

const pushed = (floor: Floor, requestedAmount: number) =>
  floor.push(workOrder({ number: "N", requests: [line("A", requestedAmount, { requestExternalIdentifier: "L1" })] }));

/** The answer to a step of a line that nobody pushed, when the model also lists the pushed line. */
function offered(lines: readonly ReturnType<typeof shown>[], picked: number, of = lines[0]) {
  const floor = openFloor();
  pushed(floor, 2);
  pushed(floor, 1);
  const amount = of?.requestedAmount ?? 0;
  const step = pick(...(["N", of?.requestId ?? 0, { requested: amount, remaining: amount, picked }] as const), {
    updateWorkOrderRequest: { id: 1, itemRequests: [...lines] },
  });
  const update = updateOf(floor.event("confirmStep", step));
  return update?.itemRequests?.map((one) => (one.isCancelled === true ? 0 : one.requestedAmount));
}

test("a line that the floor added is not taken for the one of its item that is shown with its external id", () => {
  expect(offered([shown(1, 2), shown(2, 2, "L1")], 0)).toEqual([2, 1]);
});

test("… also where all of it is picked", () => {
  expect(offered([shown(1, 2), shown(2, 2, "L1")], 2)).toEqual([2, 1]);
});

test("… also where two were added, whichever the step is of", () => {
  const lines = [shown(1, 2), shown(2, 2, "L1"), shown(3, 2)];
  expect(lines.map((of) => offered(lines, 0, of))).toEqual([
    [2, 1, 2],
    [2, 1, 2],
    [2, 1, 2],
  ]);
});

test("a line shown without its external id is found by its item where no other line is shown with that id", () => {
  expect(offered([shown(1, 2)], 0)).toEqual([1]);
});
