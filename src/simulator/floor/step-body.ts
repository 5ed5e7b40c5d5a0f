import type { InputOf } from "../../contract/operations.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";
import { type RunningLine, type RunningOrder, updateModel } from "../orders/running-order.ts";

interface StepFacts {
  readonly running: RunningOrder;
  readonly line: RunningLine;
  readonly storage: string;
  readonly email: string;
}

type SharedStep = Omit<InputOf<"confirmCartStep">, "amountToConfirmSummary">;

/** Everything a step tells beside the amount; `remaining` is what was open before it. */
export function stepBody({ running, line, storage, email }: StepFacts): SharedStep {
  const { order } = running;
  return {
    storageName: storage,
    userEmail: email,
    workOrderNumber: order.number,
    workOrderExternalIdentifier: order.externalIdentifier ?? null,
    workOrderExternalData: order.externalData ?? null,
    workOrderDescription: order.description ?? null,
    alternativeStartNumber: order.alternativeStartNumber ?? null,
    workOrderTypeName: order.workOrderTypeName ?? null,
    requestId: line.requestId,
    requestType: line.type,
    requestExternalIdentifier: line.externalId,
    requestRemainingAmountInBaseUnitOfMeasure: line.requested - line.picked,
    requestAmountInBaseUnitOfMeasure: line.requested,
    updateWorkOrderRequest: updateModel(running),
    itemNumber: line.itemNumber,
    itemNames: [{ languageIsoCode: "en", name: line.itemName ?? line.itemNumber, isDefault: true }],
    itemUnitOfMeasure: line.unit,
  };
}

/** One entry per container; null is the virtual one. */
export const pickingSummary = (
  line: RunningLine,
  locationName: string,
  shares: readonly (readonly [containerCode: string | null, amount: number])[],
): PickingSummary => ({
  locationName,
  containersBreakdown: shares.map(([containerCode, amount]) => ({
    containerCode,
    amountToConfirmInBaseUnitOfMeasure: amount,
    itemUnitOfMeasure: line.unit,
  })),
});
