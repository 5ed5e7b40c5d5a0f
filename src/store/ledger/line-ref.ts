import { UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine } from "../../contract/schemas/work-order.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** The names of an order line. */
export interface LineNames {
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
}

/** How a step, a cancellation or an update model identifies its line. */
export interface LineRef extends LineNames {
  readonly requestId: number | null;
  readonly unit: number | null;
  /** Requested amount in base units. */
  readonly requested: number | null;
  /**
   * This line and the indistinguishable ones listed with it, which are counted together. Rarely needed and a model may
   * have thousands of lines, so it is computed only on demand.
   */
  readonly indistinguishable?: () => IndistinguishableLines;
  /**
   * Whether any line listed with it has a lot. If so, a line without a lot has none; otherwise nobody knows. Computed
   * on demand.
   */
  readonly areLotsShown?: () => boolean;
  /** Whether another listed line has this external id. Computed on demand. */
  readonly isListed?: (externalId: string) => boolean;
}

/** Indistinguishable lines. */
interface IndistinguishableLines {
  readonly lines: number;
  /** Sum over all of them, in base units; null if one of them has no amount. */
  readonly requested: number | null;
  /** The index of this line among them. */
  readonly place: number;
}

/** One line of a content that the platform may have fetched. */
export interface ServedLine extends LineNames {
  readonly unit: number;
  /** The location, if the line is bound to one. */
  readonly location?: string;
  readonly amount: number;
}

/** Blank means absent: an empty external id must not make two lines the same. */
export const filled = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

export const namesOf = (line: RequestLine): LineNames & { readonly itemNumber: string } => ({
  externalId: filled(line.requestExternalIdentifier),
  itemNumber: line.itemNumber,
  lot: filled(line.lotNumber),
});

/**
 * Whether two names mean the same line. External ids decide if both have one; otherwise item and lot, and a missing lot
 * matches any.
 */
export function sameLine(one: LineNames, other: LineNames): boolean {
  if (one.externalId !== null && other.externalId !== null) return one.externalId === other.externalId;
  if (one.itemNumber === null || one.itemNumber !== other.itemNumber) return false;
  return one.lot === null || other.lot === null || one.lot === other.lot;
}

/**
 * Whether the model also lists this line with its own external id: then a line seen without an id is a different one.
 */
export const isShownSeparately = (line: LineNames, ref: LineRef): boolean =>
  ref.externalId === null && line.externalId !== null && ref.isListed?.(line.externalId) === true;

/** Tells whether one of these lines is shown with an external id. The ids are collected at first use. */
export function listedIds(refs: () => readonly LineNames[]): (externalId: string) => boolean {
  let ids: ReadonlySet<string | null> | undefined;
  return (externalId) => {
    ids ??= new Set(refs().map((ref) => ref.externalId));
    return ids.has(externalId);
  };
}

/** Tells whether one of these lines is shown with a lot. They are looked at once, at first use. */
export function lotsShown(refs: () => readonly LineNames[]): () => boolean {
  let isShown: boolean | undefined;
  return () => {
    isShown ??= refs().some(({ lot }) => lot !== null);
    return isShown;
  };
}

/** Lines with the same key are indistinguishable and counted together. */
export const lineKey = ({ externalId, itemNumber, lot }: LineNames): string =>
  externalId === null ? JSON.stringify([itemNumber, lot]) : externalId;

/** The lines of a model, each with the sum of the lines that cannot be told apart from it. */
export function refsOfModel(refs: readonly LineRef[]): LineRef[] {
  let groups: ReadonlyMap<string, (ref: LineRef) => IndistinguishableLines> | undefined;
  const areLotsShown = lotsShown(() => refs);
  const isListed = listedIds(() => refs);
  return refs.map((ref) => ({
    ...ref,
    areLotsShown,
    isListed,
    indistinguishable: () => {
      groups ??= new Map(
        Map.groupBy(refs, lineKey)
          .entries()
          .map(([key, lines]) => [key, counted(lines)]),
      );
      return groups.get(lineKey(ref))?.(ref) ?? indistinguishableFrom([], ref.requestId);
    },
  }));
}

/** Counts lines once, however many of them ask: a model may have ten thousand that cannot be told apart. */
function counted(lines: readonly LineRef[]): (ref: LineRef) => IndistinguishableLines {
  const all = indistinguishableFrom(lines, null);
  const places = new Map<number | null, number>();
  for (const [place, { requestId }] of lines.entries()) if (!places.has(requestId)) places.set(requestId, place);
  return ({ requestId }) => ({ ...all, place: places.get(requestId) ?? -1 });
}

export function indistinguishableFrom(lines: readonly LineRef[], requestId: number | null): IndistinguishableLines {
  const hasAmounts = lines.every(({ requested }) => requested !== null);
  return {
    lines: lines.length,
    place: lines.findIndex((line) => line.requestId === requestId),
    requested: hasAmounts ? lines.reduce((sum, { requested }) => sum + (requested ?? 0), 0) : null,
  };
}

/** Whether a change is about the whole order. Its scope is one line, all lines of an item, or the whole order. */
export const isWholeOrder = (scope: LineNames): boolean => scope.externalId === null && scope.itemNumber === null;

/**
 * Whether a change is about a line. With an external id it is that line only; with an item, all lines of the item or of
 * its lot.
 */
export function concerns(scope: LineNames, line: LineNames): boolean {
  if (scope.externalId !== null) return scope.externalId === line.externalId;
  if (isWholeOrder(scope)) return true;
  return scope.itemNumber === line.itemNumber && (scope.lot === null || scope.lot === line.lot);
}

/** The amounts that contents of an order have for a ledger line's line. */
export interface ContentAmounts {
  /** Whether the present content has this amount in base units. */
  readonly isPresent: (line: LedgerLine, amount: number) => boolean;
  /** Every content that the platform may have fetched, in the line's own unit; empty for an order without a change. */
  readonly served: (line: LedgerLine) => ServedAmounts;
}

export interface ServedAmounts {
  readonly has: (amount: number) => boolean;
  /** Whether one of them divides this amount. */
  readonly divide: (amount: number) => boolean;
}

/**
 * Finds the ledger line of a line whose platform id is unknown: by external id, otherwise by item and lot. A ledger
 * line without a platform id is preferred to one with another id, whose order was fetched again.
 */
export function likeliestLine(
  candidates: readonly LedgerLine[],
  ref: LineRef,
  amounts?: ContentAmounts,
): LedgerLine | undefined {
  const named = candidates.filter((line) => ref.externalId !== null && line.externalId === ref.externalId);
  const matching = named.length > 0 ? named : candidates.filter((line) => sameLine(line, ref));
  const [first] = matching;
  if (matching.length < 2) return first;
  let best: { readonly line: LedgerLine; readonly likeness: number } | undefined;
  for (const line of matching) {
    const likeness = likenessOf(line, ref, amounts);
    if (best === undefined || likeness > best.likeness) best = { line, likeness };
  }
  return best?.line;
}

/**
 * Scores a match. Equal external ids (or none on both sides) weigh most, then an equal lot that was shown, then an
 * equal amount, then a ledger line without an id. Amounts change: one that another line of the item has by chance must
 * not outweigh the lot.
 */
function likenessOf(line: LedgerLine, ref: LineRef, amounts: ContentAmounts | undefined): number {
  const isFree = line.requestId === null;
  const isLotShown = ref.lot !== null || ref.areLotsShown?.() === true;
  // A line that was fetched again has the amount of the present content, not the one it was shown with before.
  const isFit = !isFree && ref.requested !== null && amounts?.isPresent(line, ref.requested) === true;
  // A line not shown yet may have been fetched with any served amount. Compared with the present one only, a wrong line
  // could win.
  const fit = isFree || amounts === undefined ? fitOf(line, ref.requested, amounts?.served(line)) : isFit ? 2 : 0;
  return (
    4 * fit +
    (isFree ? 3 : 0) +
    (line.lot === ref.lot ? (isLotShown ? 12 : 2) : 0) +
    (line.externalId === ref.externalId ? 32 : 0)
  );
}

/** The ledger line without an id that certainly belongs to the line, so that no others need to be compared. */
export const sureLine = (candidates: readonly LedgerLine[], ref: LineRef): LedgerLine | undefined => {
  const matching = candidates.filter((line) => line.requestId === null && sameLine(line, ref));
  const [only] = matching;
  if (only === undefined || (matching.length > 1 && ref.externalId === null)) return undefined;
  if (ref.externalId !== null) return matching.find((line) => line.externalId === ref.externalId);
  return only.externalId === null && only.lot === ref.lot && fitOf(only, ref.requested) > 0 ? only : undefined;
};

/** 2 if one of the amounts is equal, 1 if one may differ only by the unit, 0 otherwise. */
function fitOf(line: LedgerLine, base: number | null, served?: ServedAmounts): 0 | 1 | 2 {
  if (base === null || line.requested === 0) return 0;
  if (base === line.requested || base === line.intake || served?.has(base) === true) return 2;
  const isMultiple = () => base % line.requested === 0 || served?.divide(base) === true;
  return mayConvert(line) && isMultiple() ? 1 : 0;
}

/** Whether an amount in base units may be a multiple of the amount in the line's own unit. */
export const mayConvert = ({ factor, unit }: Pick<LedgerLine, "factor" | "unit">): boolean =>
  factor === null && unit !== UnitOfMeasure.Piece;
