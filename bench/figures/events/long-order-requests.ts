import type { PushedCancellation } from "../../../src/contract/pushes.ts";
import type { ConfirmStep } from "../../../src/contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../src/contract/schemas/work-order.ts";
import { confirmStep } from "../../data/confirm-step.ts";
import { itemNumber, lineIdentifier, order, orderNumber } from "../../data/orders.ts";

/** The most lines that an order may have. */
const longOrderLines = 10_000;

/** None of the filled stores has an order of this number. */
const index = 5_000_000;
export const longOrderNumber = orderNumber(index);
const requestId = (line: number) => 900_000_000 + line;
const requested = 20;

/** The long order after so many changes: each has lowered one more line. */
export function longOrder(changes: number): WorkOrder {
  const { requests, ...head } = order(index, longOrderLines);
  return {
    ...head,
    requests: requests.map((line, nth) => ({ ...line, requestedAmount: nth < changes ? requested - 1 : requested })),
  };
}

/** Cancels a line that nothing has changed yet, counted from the end. */
export const longOrderCancellation = (nth: number): PushedCancellation => ({
  workOrderNumber: longOrderNumber,
  requestExternalIdentifier: lineIdentifier(index, longOrderLines - 1 - nth),
});

/** One piece of a line in the middle, with a model of all lines or without one. */
export function longOrderStep(nth: number, hasModel: boolean): ConfirmStep {
  const line = longOrderLines / 2 + nth;
  const lines = Array.from({ length: longOrderLines }, (_, own) => ({
    requestId: requestId(own),
    itemNumber: itemNumber(index, own),
    requestedAmount: requested,
    isCancelled: false,
    externalIdentifier: lineIdentifier(index, own),
  }));
  return {
    ...confirmStep(index, line),
    requestId: requestId(line),
    requestRemainingAmountInBaseUnitOfMeasure: requested,
    requestAmountInBaseUnitOfMeasure: requested,
    updateWorkOrderRequest: hasModel ? { id: index, itemRequests: lines } : null,
    amountToConfirmPickingSummary: {
      locationName: "A-1",
      containersBreakdown: [{ containerCode: "CART-1", amountToConfirmInBaseUnitOfMeasure: 1 }],
    },
  };
}
