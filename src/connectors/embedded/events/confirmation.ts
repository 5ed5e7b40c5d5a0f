import { RequestType } from "../../../contract/enums.ts";
import type { ConfirmCartStep, ConfirmStep, PickingSummary } from "../../../contract/schemas/confirm-step.ts";
import { sightOf } from "../changes/offer-changes.ts";
import { filled, type LineSight, lineKey, togetherOf } from "../ledger/line-sight.ts";

/** What a single step and a cart step have in common, and what was confirmed. */
export type SharedStep = Omit<ConfirmCartStep, "amountToConfirmSummary">;

export interface Confirmation {
  readonly amount: number;
  /** Where it was picked from; null for a placing step, whose place the order line knows. */
  readonly locationName: string | null;
  /** All that tells this step from another one of the same line. */
  readonly mark: string;
}

export function pickConfirmation(step: SharedStep, summary: PickingSummary): Confirmation {
  const shares = summary.containersBreakdown ?? [];
  let amount = 0;
  let containers = "";
  for (const share of shares) {
    amount += share.amountToConfirmInBaseUnitOfMeasure ?? 0;
    // Lengths keep codes apart that contain the separators; null is the virtual container and no empty code.
    const code = share.containerCode ?? null;
    containers += `|${code === null ? "-" : `${code.length}:${code}`}=${share.amountToConfirmInBaseUnitOfMeasure ?? ""}`;
  }
  const locationName = summary.locationName ?? "";
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? "";
  return { amount, locationName, mark: `${remaining}|${locationName.length}:${locationName}${containers}` };
}

export function singleConfirmation(step: ConfirmStep): Confirmation {
  const summary = step.amountToConfirmPickingSummary ?? null;
  const placed = step.amountToConfirmPlacingInBaseUnitOfMeasure ?? null;
  if (summary !== null && (placed === null || step.requestType !== RequestType.PlaceItem)) {
    return pickConfirmation(step, summary);
  }
  const remaining = step.requestRemainingAmountInBaseUnitOfMeasure ?? "";
  return { amount: placed ?? 0, locationName: null, mark: `${remaining}|placed=${placed}` };
}

/** What a step tells about its line, together with the same line of the model it brought. */
export function stepSight(step: SharedStep): LineSight {
  const lines = step.updateWorkOrderRequest?.itemRequests ?? [];
  const line = lines.find((own) => own.requestId === step.requestId);
  const shown = line === undefined ? undefined : sightOf(line);
  return {
    requestId: step.requestId,
    externalId: filled(step.requestExternalIdentifier) ?? shown?.externalId ?? null,
    itemNumber: filled(step.itemNumber) ?? shown?.itemNumber ?? null,
    lot: shown?.lot ?? null,
    unit: step.itemUnitOfMeasure ?? shown?.unit ?? null,
    requested:
      step.requestAmountInBaseUnitOfMeasure ??
      shown?.requested ??
      step.requestRemainingAmountInBaseUnitOfMeasure ??
      null,
    ...(shown === undefined
      ? {}
      : {
          together: () =>
            togetherOf(
              lines.map(sightOf).filter((own) => lineKey(own) === lineKey(shown)),
              shown.requestId,
            ),
        }),
  };
}
