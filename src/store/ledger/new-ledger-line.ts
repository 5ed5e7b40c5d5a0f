import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine } from "../../contract/schemas/work-order.ts";
import { oncePer } from "../../kit/recent-values.ts";
import type { OrderStore } from "../order-store.ts";
import type { LedgerLine } from "./ledger-line.ts";
import {
  type ContentAmounts,
  filled,
  type LineNames,
  type LineRef,
  lineKey,
  namesOf,
  type ServedLine,
} from "./line-ref.ts";

export const isAsked = ({ requestType }: RequestLine): boolean => requestType !== RequestType.Ignored;

export const totalOf = (lines: readonly { readonly amount: number }[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0);

/** Of lines that cannot be told apart: the last one, and what is requested of all of them. */
const likeLines = oncePer((requests: readonly RequestLine[]) => {
  const lines = new Map<string, { last: RequestLine; requested: number }>();
  for (const request of requests) {
    const key = lineKey(namesOf(request));
    const before = lines.get(key)?.requested ?? 0;
    lines.set(key, { last: request, requested: before + request.requestedAmount });
  }
  return lines;
});

/**
 * The ledger line of a line before the platform has shown it. `most` is the largest amount that any content had for it.
 * Among indistinguishable lines, the last one gets whatever they had in addition.
 */
export function newLedgerLine(
  orderNumber: string,
  request: RequestLine,
  most: number,
  requests: readonly RequestLine[],
) {
  const indistinguishable = likeLines(requests).get(lineKey(namesOf(request)));
  const more = most - (indistinguishable?.requested ?? 0);
  return {
    orderNumber,
    requestId: null,
    ...namesOf(request),
    unit: request.unitOfMeasure ?? UnitOfMeasure.Piece,
    intake: request.requestedAmount + (indistinguishable?.last === request ? Math.max(0, more) : 0),
    designatedLocation: filled(request.designatedLocationName),
    factor: null,
    requested: request.requestedAmount,
  };
}

/** A ledger line for a line that only an earlier content had. */
export const servedLedgerLine = (orderNumber: string, line: ServedLine, requested: number) => ({
  ...{ orderNumber, requestId: null, externalId: line.externalId, itemNumber: line.itemNumber ?? "", lot: line.lot },
  ...{ unit: line.unit, factor: null, intake: line.amount, requested, designatedLocation: line.location ?? null },
});

/** The amount that the platform shows for a line, and the amounts in served contents that it may correspond to. */
interface PossibleAmounts {
  readonly base: number;
  readonly amounts: readonly number[];
}

interface ContentNeeds {
  readonly orders: Pick<OrderStore, "find">;
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly (readonly ServedLine[])[];
}

export function openPossibleAmounts(needs: ContentNeeds) {
  const { orders, servedOf } = needs;
  /** The lines of the current order that are indistinguishable from this one. */
  const presentOf = (line: LedgerLine): readonly { readonly amount: number }[] =>
    (orders.find(line.orderNumber)?.workOrder.requests ?? [])
      .filter((request) => isAsked(request) && lineKey(namesOf(request)) === lineKey(line))
      .map((request) => ({ amount: request.requestedAmount }));

  return (line: LedgerLine, base: number, indistinguishable: LineRef["indistinguishable"]): PossibleAmounts => {
    const served = servedOf(line.orderNumber, line);
    const contents = served.length > 0 ? served : [presentOf(line)];
    if (contents.every((lines) => lines.length < 2)) {
      const amounts = served.flat().map(({ amount }) => amount);
      return { base, amounts: line.intake === null ? amounts : [line.requested, line.intake, ...amounts] };
    }
    // Indistinguishable lines cannot be matched one by one; their sum can, if all of them are shown.
    const shown = indistinguishable?.();
    if (shown !== undefined && shown.requested !== null && contents.some(({ length }) => length === shown.lines)) {
      return { base: shown.requested, amounts: contents.map(totalOf) };
    }
    return { base, amounts: contents.flat().map(({ amount }) => amount) };
  };
}

/**
 * Each line of some contents with the largest amount that any of them has. Lines that cannot be told apart are added
 * up.
 */
export function largestLines(contents: readonly (readonly ServedLine[])[]): readonly ServedLine[] {
  const largest = new Map<string, ServedLine>();
  for (const content of contents) {
    for (const [key, indistinguishable] of Map.groupBy(content, lineKey)) {
      const [first] = indistinguishable;
      const amount = totalOf(indistinguishable);
      if (first !== undefined && amount >= (largest.get(key)?.amount ?? 0)) largest.set(key, { ...first, amount });
    }
  }
  return [...largest.values()];
}

/** Read at first use, and once for lines of the same names: few orders have indistinguishable lines, or thousands of them. */
export function contentAmounts(needs: ContentNeeds, orderNumber: string): ContentAmounts {
  const { orders, servedOf } = needs;
  let requested: ReadonlyMap<string, readonly RequestLine[]> | undefined;
  /** By the line's names and factor: each of thousands of lines that cannot be told apart asks for each line shown. */
  const present = new Map<string, ReadonlySet<number>>();
  const served = new Map<string, ReadonlySet<number>>();
  const presentOf = (line: LedgerLine): ReadonlySet<number> => {
    const requests = () => orders.find(orderNumber)?.workOrder.requests.filter(isAsked) ?? [];
    requested ??= Map.groupBy(requests(), (request) => lineKey(namesOf(request)));
    const lines = requested.get(lineKey(line)) ?? [];
    return new Set(lines.map(({ requestedAmount }) => requestedAmount * (line.factor ?? 1)));
  };
  return {
    isPresent: (line, amount) => {
      const name = `${line.factor} ${lineKey(line)}`;
      const known = present.get(name) ?? presentOf(line);
      present.set(name, known);
      return known.has(amount);
    },
    served: (line) => {
      const names = JSON.stringify([line.externalId, line.itemNumber, line.lot]);
      const known = served.get(names);
      if (known !== undefined) return known;
      const contents = servedOf(orderNumber, line);
      const amounts = new Set(contents.flatMap((lines) => lines.map(({ amount }) => amount)));
      served.set(names, amounts);
      return amounts;
    },
  };
}
