import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { ConfirmCartStep, ConfirmStep } from "../../contract/schemas/confirm-step.ts";
import type { UpdateWorkOrderRequest } from "../../contract/schemas/update-work-order.ts";
import type { OrderAtHand } from "./order-to-work-with.ts";

interface Picked {
  /** Index of the line. */
  readonly line: number;
  readonly remaining: number;
  readonly amount: number;
  readonly container: string | null;
  readonly model?: UpdateWorkOrderRequest;
}

const requestIdOf = (line: number) => 900_001 + line;

/** The order as the platform sees it, which it sends with every step. */
export const modelOf = ({ order }: OrderAtHand): UpdateWorkOrderRequest => ({
  id: 900_000,
  description: order.description ?? null,
  dueDate: order.dueDate,
  itemRequests: order.requests.map((line, index) => ({
    requestId: requestIdOf(index),
    itemNumber: line.itemNumber,
    itemUnitOfMeasure: line.unitOfMeasure ?? UnitOfMeasure.Piece,
    requestedAmount: line.requestedAmount,
    isCancelled: false,
    type: RequestType.PickItem,
    order: index + 1,
    externalIdentifier: line.requestExternalIdentifier ?? null,
  })),
});

function sharedOf(atHand: OrderAtHand, { line, remaining, model }: Picked) {
  const { order, storage } = atHand;
  const request = order.requests[line];
  return {
    storageName: storage,
    userEmail: "conform@example.com",
    workOrderNumber: order.number,
    requestId: requestIdOf(line),
    requestType: RequestType.PickItem,
    requestExternalIdentifier: request?.requestExternalIdentifier ?? null,
    requestRemainingAmountInBaseUnitOfMeasure: remaining,
    requestAmountInBaseUnitOfMeasure: request?.requestedAmount ?? remaining,
    updateWorkOrderRequest: model ?? modelOf(atHand),
    itemNumber: request?.itemNumber ?? null,
    itemUnitOfMeasure: request?.unitOfMeasure ?? UnitOfMeasure.Piece,
  };
}

const summaryOf = ({ amount, container }: Picked) => ({
  locationName: "A-01-01",
  containersBreakdown: [
    { containerCode: container, amountToConfirmInBaseUnitOfMeasure: amount, itemUnitOfMeasure: UnitOfMeasure.Piece },
  ],
});

export const stepOf = (atHand: OrderAtHand, picked: Picked): ConfirmStep => ({
  ...sharedOf(atHand, picked),
  amountToConfirmPickingSummary: summaryOf(picked),
});

export const cartStepOf = (atHand: OrderAtHand, picked: Picked): ConfirmCartStep => ({
  ...sharedOf(atHand, picked),
  amountToConfirmSummary: summaryOf(picked),
});
