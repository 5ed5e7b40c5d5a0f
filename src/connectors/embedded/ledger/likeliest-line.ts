import type { LedgerLine } from "./ledger-line.ts";
import { type LineSight, sameLine } from "./line-sight.ts";

/**
 * Which account a line belongs to that names itself otherwise than by an id we know: external id, else item and lot.
 * One without an id of the platform is likelier than one that had another id: that one was fetched again.
 */
export function likeliestLine(candidates: readonly LedgerLine[], sight: LineSight): LedgerLine | undefined {
  const named = candidates.filter((line) => sight.externalId !== null && line.externalId === sight.externalId);
  const alike = named.length > 0 ? named : candidates.filter((line) => sameLine(line, sight));
  const free = alike.filter((line) => line.requestId === null);
  const fitting = (lines: readonly LedgerLine[]) =>
    lines.find((line) => line.lot === sight.lot && fits(line, sight.requested)) ??
    lines.find((line) => fits(line, sight.requested));
  return fitting(free) ?? fitting(alike) ?? free[0] ?? alike[0];
}

/** The free account that is the line's beyond doubt: no other one needs to be looked at. */
export const sureLine = (candidates: readonly LedgerLine[], sight: LineSight): LedgerLine | undefined =>
  candidates.find(
    (line) =>
      line.requestId === null &&
      ((sight.externalId !== null && line.externalId === sight.externalId) ||
        (line.lot === sight.lot && sameLine(line, sight) && fits(line, sight.requested))),
  );

/** Of two lines with the same item, the one whose amount divides the platform's is the likelier. */
function fits(line: LedgerLine, base: number | null): boolean {
  if (base === null || line.requested === 0) return false;
  return line.factor === null ? base % line.requested === 0 : base === line.requested;
}
