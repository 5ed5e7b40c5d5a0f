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
export interface LineSight extends LineNames {
  readonly requestId: number | null;
  readonly unit: number | null;
  /** Requested amount in base units. */
  readonly requested: number | null;
  /**
   * This line and the indistinguishable ones beside it: they are counted together. Rarely needed, so it is computed only
   * on demand: a model may have thousands of lines.
   */
  readonly together?: () => Together;
  /** Whether lots are told beside it: then a line without one has none, and otherwise nobody knows. On demand, as above. */
  readonly areLotsTold?: () => boolean;
  /** Whether another line is shown beside it with this external id. On demand, as above. */
  readonly isToldBeside?: (externalId: string) => boolean;
}

/** Indistinguishable lines. */
interface Together {
  readonly lines: number;
  /** Sum over all of them, in base units; null if one of them has no amount. */
  readonly requested: number | null;
  /** The position of the requested line among them. */
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

/** The external id decides if both have one; otherwise item and lot, and a missing lot matches any. */
export function sameLine(one: LineNames, other: LineNames): boolean {
  if (one.externalId !== null && other.externalId !== null) return one.externalId === other.externalId;
  if (one.itemNumber === null || one.itemNumber !== other.itemNumber) return false;
  return one.lot === null || other.lot === null || one.lot === other.lot;
}

/** Whether the platform shows this line beside the one that is seen: without an external id, that one is another line. */
export const isShownBeside = (line: LineNames, sight: LineSight): boolean =>
  sight.externalId === null && line.externalId !== null && sight.isToldBeside?.(line.externalId) === true;

/** Says which external ids some lines are shown with; they are read at first use. */
export function toldIds(sights: () => readonly LineNames[]): (externalId: string) => boolean {
  let ids: ReadonlySet<string | null> | undefined;
  return (externalId) => {
    ids ??= new Set(sights().map((sight) => sight.externalId));
    return ids.has(externalId);
  };
}

/** Lines with the same key are indistinguishable and counted together. */
export const lineKey = ({ externalId, itemNumber, lot }: LineNames): string =>
  externalId === null ? JSON.stringify([itemNumber, lot]) : externalId;

/** The lines that the platform shows side by side, each with the sum of its indistinguishable lines. */
export function sightsTogether(sights: readonly LineSight[]): LineSight[] {
  let groups: ReadonlyMap<string, readonly LineSight[]> | undefined;
  const areLotsTold = () => sights.some(({ lot }) => lot !== null);
  const isToldBeside = toldIds(() => sights);
  return sights.map((sight) => ({
    ...sight,
    areLotsTold,
    isToldBeside,
    together: () => {
      groups ??= Map.groupBy(sights, lineKey);
      return togetherOf(groups.get(lineKey(sight)) ?? [], sight.requestId);
    },
  }));
}

export function togetherOf(alike: readonly LineSight[], requestId: number | null): Together {
  const hasAmounts = alike.every(({ requested }) => requested !== null);
  return {
    lines: alike.length,
    place: alike.findIndex((line) => line.requestId === requestId),
    requested: hasAmounts ? alike.reduce((sum, { requested }) => sum + (requested ?? 0), 0) : null,
  };
}

/** A scope says which lines a change of the external system concerns: one line, all lines of an item, or the whole order. */
export const isWholeOrder = (scope: LineNames): boolean => scope.externalId === null && scope.itemNumber === null;

/** A scope with an external id concerns that line only; one with an item all lines of the item, or of its lot. */
export function concerns(scope: LineNames, line: LineNames): boolean {
  if (scope.externalId !== null) return scope.externalId === line.externalId;
  if (isWholeOrder(scope)) return true;
  return scope.itemNumber === line.itemNumber && (scope.lot === null || scope.lot === line.lot);
}

/** The amounts that contents of an order have for the line of an account. */
export interface ContentAmounts {
  /** The present content, in base units. */
  readonly present: (line: LedgerLine) => readonly number[];
  /** Every content that the platform may have fetched, in the line's own unit; nothing for an order that never changed. */
  readonly served: (line: LedgerLine) => readonly number[];
}

/**
 * Finds the account of a line whose platform id is not known: by external id, otherwise by item and lot. An account without
 * a platform id is preferred to one with another id, whose order was fetched again.
 */
export function likeliestLine(
  candidates: readonly LedgerLine[],
  sight: LineSight,
  amounts?: ContentAmounts,
): LedgerLine | undefined {
  const named = candidates.filter((line) => sight.externalId !== null && line.externalId === sight.externalId);
  const alike = named.length > 0 ? named : candidates.filter((line) => sameLine(line, sight));
  const [first] = alike;
  if (alike.length < 2) return first;
  let best: { readonly line: LedgerLine; readonly likeness: number } | undefined;
  for (const line of alike) {
    const likeness = likenessOf(line, sight, amounts);
    if (best === undefined || likeness > best.likeness) best = { line, likeness };
  }
  return best?.line;
}

/**
 * Equal external ids (or none on both sides) weigh most; then a lot that is told; then a matching amount, then whether the
 * account has no id yet. Amounts change, and one that another line of the item has now must not outweigh the lot.
 */
function likenessOf(line: LedgerLine, sight: LineSight, amounts: ContentAmounts | undefined): number {
  const isFree = line.requestId === null;
  const isToldLot = sight.lot !== null || sight.areLotsTold?.() === true;
  // Fetched again, it has the amount of the present content, and not the one it was shown with before.
  const isFit = !isFree && sight.requested !== null && amounts?.present(line).includes(sight.requested) === true;
  // Not shown yet, it may have been fetched with any amount: by the present one alone, another line would seem likelier.
  const fit = isFree || amounts === undefined ? fitOf(line, sight.requested, amounts?.served(line)) : isFit ? 2 : 0;
  return (
    4 * fit +
    (isFree ? 3 : 0) +
    (line.lot === sight.lot ? (isToldLot ? 12 : 2) : 0) +
    (line.externalId === sight.externalId ? 32 : 0)
  );
}

/** The account without an id that certainly belongs to the line, so that no other needs to be compared. */
export const sureLine = (candidates: readonly LedgerLine[], sight: LineSight): LedgerLine | undefined => {
  const alike = candidates.filter((line) => line.requestId === null && sameLine(line, sight));
  const [only] = alike;
  if (only === undefined || (alike.length > 1 && sight.externalId === null)) return undefined;
  if (sight.externalId !== null) return alike.find((line) => line.externalId === sight.externalId);
  return only.externalId === null && only.lot === sight.lot && fitOf(only, sight.requested) > 0 ? only : undefined;
};

/** 2 if one of the amounts is equal, 1 if one may differ only by the unit, 0 otherwise. */
function fitOf(line: LedgerLine, base: number | null, served: readonly number[] = []): 0 | 1 | 2 {
  if (base === null || line.requested === 0) return 0;
  if (base === line.requested || base === line.intake || served.includes(base)) return 2;
  const mayConvert = line.factor === null && line.unit !== UnitOfMeasure.Piece;
  return mayConvert && [line.requested, ...served].some((amount) => base % amount === 0) ? 1 : 0;
}
