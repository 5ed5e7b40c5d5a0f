import { RequestType, UnitOfMeasure } from "../../../contract/enums.ts";
import type { ConfirmCartStep, ConfirmStep, UpdateWorkOrderRequest } from "../../../contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Trial } from "../harness/knowledge.ts";
import { isSuccess } from "../harness/recorded-exchange.ts";
import { inventedNumber } from "../harness/sample-input.ts";

export interface OrderAtHand {
  readonly order: WorkOrder;
  readonly storage: string;
  /** Whether this run has pushed the order, so that its content and history are known. */
  readonly isOwn: boolean;
}

/** Returns an order of our own if pushes are served, else a listed one, else an unknown one. */
export async function orderToWorkWith(trial: Trial, purpose: string): Promise<OrderAtHand> {
  const invented = inventedOrder(trial.runId, purpose);
  const storage = "Main";
  if (trial.known.canPush && (await trial.push("workOrders", invented))) {
    const isFound = await trial.until(async () =>
      isSuccess(await trial.call("findWorkOrderByCode", { Code: invented.number, StorageName: storage })),
    );
    if (isFound) return { order: invented, storage, isOwn: true };
  }
  const [listed] = trial.known.orders;
  if (listed === undefined) return { order: invented, storage, isOwn: false };
  return { order: listed, storage: listed.designatedStorageName ?? storage, isOwn: false };
}

/** For checks that need an order of known content. */
export async function ownOrder(trial: Trial, purpose: string): Promise<OrderAtHand> {
  const atHand = await orderToWorkWith(trial, purpose);
  return atHand.isOwn
    ? atHand
    : trial.skip("it needs orders of its own: give the key of the inbound routes with --api-key");
}

export const lineId = (runId: string, purpose: string, line: number) => inventedNumber(runId, `${purpose}/${line}`);

function inventedOrder(runId: string, purpose: string): WorkOrder {
  const line = (order: number, itemNumber: string, requestedAmount: number) => ({
    itemNumber,
    requestedAmount,
    requestExternalIdentifier: lineId(runId, purpose, order),
    requestType: RequestType.PickItem,
    unitOfMeasure: UnitOfMeasure.Piece,
    order,
  });
  return {
    number: inventedNumber(runId, purpose),
    dueDate: "2030-01-31T08:00:00Z",
    deliveryNumber: inventedNumber(runId, `${purpose}-DELIVERY`),
    alternativeStartNumber: inventedNumber(runId, `${purpose}-START`),
    requests: [line(1, inventedNumber(runId, "A"), 5), line(2, inventedNumber(runId, "B"), 3)],
  };
}

interface Picked {
  /** Index of the line. */
  readonly line: number;
  readonly remaining: number;
  readonly amount: number;
  readonly container: string | null;
  readonly model?: UpdateWorkOrderRequest;
}

const requestIdOf = (line: number) => 900_001 + line;

/** The platform's view of the order, which it sends with every step. */
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
