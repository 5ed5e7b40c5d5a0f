import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine } from "../../contract/schemas/work-order.ts";
import { filled, lineKey, namesOf, type ServedLine } from "./line-sight.ts";

export const isAsked = ({ requestType }: RequestLine): boolean => requestType !== RequestType.Ignored;

export const totalOf = (lines: readonly { readonly amount: number }[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0);

/**
 * What is known of a line before the platform has shown it. `most` is the most that a content had of it; of lines that
 * nothing tells apart, the last takes what they had more together.
 */
export function accountOf(orderNumber: string, request: RequestLine, most: number, beside: readonly RequestLine[]) {
  const twins = beside.filter((other) => lineKey(namesOf(other)) === lineKey(namesOf(request)));
  const more = most - twins.reduce((sum, { requestedAmount }) => sum + requestedAmount, 0);
  return {
    orderNumber,
    requestId: null,
    ...namesOf(request),
    unit: request.unitOfMeasure ?? UnitOfMeasure.Piece,
    intake: request.requestedAmount + (twins.at(-1) === request ? Math.max(0, more) : 0),
    designatedLocation: filled(request.designatedLocationName),
    factor: null,
    requested: request.requestedAmount,
  };
}

/** An account for a line that only an earlier content had. */
export const servedAccount = (orderNumber: string, line: ServedLine, requested: number) => ({
  ...{ orderNumber, requestId: null, externalId: line.externalId, itemNumber: line.itemNumber ?? "", lot: line.lot },
  ...{ unit: line.unit, factor: null, intake: line.amount, requested, designatedLocation: line.location ?? null },
});
