import type { OperationId } from "../../contract/operations.ts";
import type { PickingSummary } from "../../contract/schemas/confirm-step.ts";

interface StepAmounts {
  readonly amountToConfirmPickingSummary?: PickingSummary | null;
  readonly amountToConfirmSummary?: PickingSummary | null;
  readonly amountToConfirmPlacingInBaseUnitOfMeasure?: number | null;
}

/**
 * Whether an event can be told from a second one like it, so that an adapter must recognise a copy even after it has
 * answered. Two pieces put on the same shelf look the same twice: a copy of those may only be sent while unanswered.
 */
export function canBeRepeated(id: OperationId, input: unknown): boolean {
  if (id === "confirmStep" || id === "confirmCartStep") return confirmed(input as StepAmounts) > 0;
  return tellsApart.has(id);
}

const tellsApart: ReadonlySet<OperationId> = new Set([
  "cancelWorkOrderRequest",
  "attachWorkOrder",
  "relocateCartContainers",
  "changeStatus",
]);

function confirmed(step: StepAmounts): number {
  const summary = step.amountToConfirmPickingSummary ?? step.amountToConfirmSummary;
  const shares = summary?.containersBreakdown ?? [];
  const picked = shares.reduce((sum, share) => sum + (share.amountToConfirmInBaseUnitOfMeasure ?? 0), 0);
  return picked + (step.amountToConfirmPlacingInBaseUnitOfMeasure ?? 0);
}
