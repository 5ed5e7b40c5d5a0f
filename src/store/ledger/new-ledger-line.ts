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
  type ServedAmounts,
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
  readonly amounts: ReadonlySet<number>;
}

/** A line in each content that the platform may have fetched. */
type Contents = readonly (readonly { readonly amount: number }[])[];

interface ContentNeeds {
  readonly orders: Pick<OrderStore, "find">;
  readonly servedOf: (orderNumber: string, line: LineNames) => readonly (readonly ServedLine[])[];
}

export function openPossibleAmounts(needs: ContentNeeds) {
  const { orders, servedOf } = needs;
  // Lines that cannot be told apart have the same contents. They are read once, not for each of thousands.
  const presentByOrder = new WeakMap<object, ReadonlyMap<string, Contents>>();
  const amountsByContents = new WeakMap<Contents, ReadonlySet<number>>();
  /** The lines of the current order that are indistinguishable from this one. */
  const presentOf = (line: LedgerLine): Contents => {
    const order = orders.find(line.orderNumber)?.workOrder;
    if (order === undefined) return [[]];
    const byKey =
      presentByOrder.get(order) ??
      new Map(
        Map.groupBy(order.requests.filter(isAsked), (request) => lineKey(namesOf(request)))
          .entries()
          .map(([key, lines]) => [key, [lines.map(({ requestedAmount }) => ({ amount: requestedAmount }))]]),
      );
    presentByOrder.set(order, byKey);
    return byKey.get(lineKey(line)) ?? [[]];
  };

  return (line: LedgerLine, base: number, indistinguishable: LineRef["indistinguishable"]): PossibleAmounts => {
    const served = servedOf(line.orderNumber, line);
    const contents: Contents = served.length > 0 ? served : presentOf(line);
    if (contents.every((lines) => lines.length < 2)) {
      const amounts = served.flat().map(({ amount }) => amount);
      return { base, amounts: new Set(line.intake === null ? amounts : [line.requested, line.intake, ...amounts]) };
    }
    // Indistinguishable lines cannot be matched one by one; their sum can, if all of them are shown.
    const shown = indistinguishable?.();
    if (shown !== undefined && shown.requested !== null && contents.some(({ length }) => length === shown.lines)) {
      return { base: shown.requested, amounts: new Set(contents.map(totalOf)) };
    }
    const known = amountsByContents.get(contents) ?? new Set(contents.flat().map(({ amount }) => amount));
    amountsByContents.set(contents, known);
    return { base, amounts: known };
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
  const served = new Map<string, ServedAmounts>();
  const servedByLine = new Map<LedgerLine, ServedAmounts>();
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
      const own = servedByLine.get(line);
      if (own !== undefined) return own;
      const names = JSON.stringify([line.externalId, line.itemNumber, line.lot]);
      const known = served.get(names) ?? servedAmounts(servedOf(orderNumber, line));
      served.set(names, known);
      servedByLine.set(line, known);
      return known;
    },
  };
}

/** With more amounts than this, nearly every amount is a multiple of one of them, which tells nothing. */
const mostDivisors = 1_000;

function servedAmounts(contents: readonly (readonly ServedLine[])[]): ServedAmounts {
  const amounts = new Set(contents.flatMap((lines) => lines.map(({ amount }) => amount)));
  const divisors = amounts.size > mostDivisors ? [] : [...amounts];
  /** Lines that cannot be told apart ask for the same amount, each of them. */
  const divided = new Map<number, boolean>();
  return {
    has: (amount) => amounts.has(amount),
    divide: (amount) => {
      const known = divided.get(amount) ?? divisors.some((one) => amount % one === 0);
      divided.set(amount, known);
      return known;
    },
  };
}
