import type { LedgerLine } from "./ledger-line.ts";
import { type LineSight, sameLine } from "./line-sight.ts";

/** Which account a line belongs to that names itself otherwise than by an id we know: external id, else item and lot. */
export function likeliestLine(candidates: readonly LedgerLine[], sight: LineSight): LedgerLine | undefined {
  const named = candidates.find((line) => sight.externalId !== null && line.externalId === sight.externalId);
  if (named !== undefined) return named;
  const alike = candidates.filter((line) => sameLine(line, sight));
  return (
    alike.find((line) => line.lot === sight.lot && fits(line, sight.requested)) ??
    alike.find((line) => fits(line, sight.requested)) ??
    alike[0]
  );
}

/** Of two lines with the same item, the one whose amount divides the platform's is the likelier. */
function fits(line: LedgerLine, base: number | null): boolean {
  if (base === null || line.requested === 0) return false;
  return line.factor === null ? base % line.requested === 0 : base === line.requested;
}
