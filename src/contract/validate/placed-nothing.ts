import { RequestType } from "../enums.ts";
import type { OperationId } from "../operations.ts";

/**
 * A placing step without any amount is one of nothing: clients that leave zeros out write it so, and refusing it would
 * stop the floor. A picking step has an object for its amount, which nobody leaves out; without one, a quantity may have
 * been sent under another name, and taking it for 0 would lose it.
 */
export function withPlacedNothing(id: OperationId, input: unknown): unknown {
  if (id !== "confirmStep" || typeof input !== "object" || input === null) return input;
  // An object, by the check above; its members may be anything.
  const step = input as Readonly<Record<string, unknown>>;
  const {
    requestType,
    amountToConfirmPlacingInBaseUnitOfMeasure: placed,
    amountToConfirmPickingSummary: picked,
  } = step;
  if (requestType !== RequestType.PlaceItem || (placed ?? picked ?? null) !== null) return input;
  return { ...step, amountToConfirmPlacingInBaseUnitOfMeasure: 0 };
}
