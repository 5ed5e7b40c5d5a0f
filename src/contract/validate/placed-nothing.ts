import { RequestType } from "../enums.ts";
import type { OperationId } from "../operations.ts";

/**
 * A placing step without any amount means 0: some clients omit zeros, and refusing it would stop the floor. A picking
 * step has an object for its amount, which no client omits; without it, the amount may have
 * been sent under another name, and 0 would lose it.
 */
export function withPlacedNothing(id: OperationId, input: unknown): unknown {
  if (id !== "confirmStep" || typeof input !== "object" || input === null) return input;
  const step = input as Readonly<Record<string, unknown>>;
  const {
    requestType,
    amountToConfirmPlacingInBaseUnitOfMeasure: placed,
    amountToConfirmPickingSummary: picked,
  } = step;
  if (requestType !== RequestType.PlaceItem || (placed ?? picked ?? null) !== null) return input;
  return { ...step, amountToConfirmPlacingInBaseUnitOfMeasure: 0 };
}
