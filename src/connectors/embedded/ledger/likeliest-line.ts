import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { LedgerLine } from "./ledger-line.ts";
import { type LineSight, sameLine } from "./line-sight.ts";

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
