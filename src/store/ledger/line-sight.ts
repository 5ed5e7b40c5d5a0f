import { UnitOfMeasure } from "../../contract/enums.ts";
import type { RequestLine } from "../../contract/schemas/work-order.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** What names a line of an order. */
export interface LineNames {
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
}

/** What a step, a cancellation or an update model tells about which line it means. */
export interface LineSight extends LineNames {
  readonly requestId: number | null;
  readonly unit: number | null;
  /** Requested amount in base units. */
  readonly requested: number | null;
  /**
   * This line and those beside it that nothing tells apart from it: they count together. Asked for rarely, and worked out
   * only then, since a model may have thousands of lines.
   */
  readonly together?: () => Together;
}

/** Lines that nothing tells apart. */
interface Together {
  readonly lines: number;
  /** Of all of them, in base units; null where one of them does not say. */
  readonly requested: number | null;
  /** The place of the one that was asked about among them. */
  readonly place: number;
}

/** One line of a content that the platform may have fetched. */
export interface ServedLine extends LineNames {
  readonly unit: number;
  /** Where the line is bound to a location. */
  readonly location?: string;
  readonly amount: number;
}

/** Blank means not told: an empty external id must not make two lines the same. */
export const filled = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text;

export const namesOf = (line: RequestLine): LineNames & { readonly itemNumber: string } => ({
  externalId: filled(line.requestExternalIdentifier),
  itemNumber: line.itemNumber,
  lot: filled(line.lotNumber),
});

/** The external id decides where both have one; else item and lot, a lot that is not told fitting any. */
export function sameLine(one: LineNames, other: LineNames): boolean {
  if (one.externalId !== null && other.externalId !== null) return one.externalId === other.externalId;
  if (one.itemNumber === null || one.itemNumber !== other.itemNumber) return false;
  return one.lot === null || other.lot === null || one.lot === other.lot;
}

/** Lines with the same key count together: nothing tells them apart. */
export const lineKey = ({ externalId, itemNumber, lot }: LineNames): string =>
  externalId === null ? JSON.stringify([itemNumber, lot]) : externalId;

/** Sights of lines that the platform shows side by side, with what those that nothing tells apart come to. */
export function sightsTogether(sights: readonly LineSight[]): LineSight[] {
  let groups: ReadonlyMap<string, readonly LineSight[]> | undefined;
  return sights.map((sight) => ({
    ...sight,
    together: () => {
      groups ??= Map.groupBy(sights, lineKey);
      return togetherOf(groups.get(lineKey(sight)) ?? [], sight.requestId);
    },
  }));
}

export function togetherOf(alike: readonly LineSight[], requestId: number | null): Together {
  const isTold = alike.every(({ requested }) => requested !== null);
  return {
    lines: alike.length,
    place: alike.findIndex((line) => line.requestId === requestId),
    requested: isTold ? alike.reduce((sum, { requested }) => sum + (requested ?? 0), 0) : null,
  };
}

/** A scope says which lines a word of the external system is about: one line, all lines of an item, or the whole order. */
export const isWholeOrder = (scope: LineNames): boolean => scope.externalId === null && scope.itemNumber === null;

/** One that names an external id is about that line only, and one that names an item about all lines of it. */
export function concerns(scope: LineNames, line: LineNames): boolean {
  if (scope.externalId !== null) return scope.externalId === line.externalId;
  return isWholeOrder(scope) || scope.itemNumber === line.itemNumber;
}

/**
 * Which account a line belongs to that names itself otherwise than by an id we know: external id, else item and lot.
 * One without an id of the platform is likelier than one that had another id: that one was fetched again.
 */
export function likeliestLine(candidates: readonly LedgerLine[], sight: LineSight): LedgerLine | undefined {
  const named = candidates.filter((line) => sight.externalId !== null && line.externalId === sight.externalId);
  const alike = named.length > 0 ? named : candidates.filter((line) => sameLine(line, sight));
  let best: { readonly line: LedgerLine; readonly likeness: number } | undefined;
  for (const line of alike) {
    const likeness = likenessOf(line, sight);
    if (best === undefined || likeness > best.likeness) best = { line, likeness };
  }
  return best?.line;
}

/** That neither has an external id says most; then an amount that fits, then whether the line was seen before. */
function likenessOf(line: LedgerLine, sight: LineSight): number {
  const isFree = line.requestId === null;
  return (
    4 * fitOf(line, sight.requested) +
    (isFree ? 3 : 0) +
    (line.lot === sight.lot ? 2 : 0) +
    (line.externalId === sight.externalId ? 16 : 0)
  );
}

/** The free account that is the line's beyond doubt: no other one needs to be looked at. */
export const sureLine = (candidates: readonly LedgerLine[], sight: LineSight): LedgerLine | undefined => {
  const alike = candidates.filter((line) => line.requestId === null && sameLine(line, sight));
  const [only] = alike;
  if (only === undefined || (alike.length > 1 && sight.externalId === null)) return undefined;
  if (sight.externalId !== null) return alike.find((line) => line.externalId === sight.externalId);
  return only.externalId === null && only.lot === sight.lot && fitOf(only, sight.requested) > 0 ? only : undefined;
};

/** 2 where the platform's amount is the line's, 1 where it may be in another unit, 0 where it is neither. */
function fitOf(line: LedgerLine, base: number | null): 0 | 1 | 2 {
  if (base === null || line.requested === 0) return 0;
  if (base === line.requested || base === line.intake) return 2;
  const mayConvert = line.factor === null && line.unit !== UnitOfMeasure.Piece;
  return mayConvert && base % line.requested === 0 ? 1 : 0;
}
