import type { LedgerLine } from "../ledger/ledger-line.ts";
import type { Change, ChangeState } from "./change.ts";

/** The one factor all these lines share; null where a line's is not certain or they differ. */
function commonFactor(lines: readonly LedgerLine[]): number | null {
  const factors = new Set(lines.map((line) => line.factor));
  const [factor] = factors;
  return factors.size === 1 && typeof factor === "number" && factor >= 1 ? factor : null;
}

/** The wanted amount in the unit the accounts are in; null where the conversion is not certain. Nothing is nothing in any unit. */
export function wantedAmount(change: Change, lines: readonly LedgerLine[]): number | null {
  if (change.target === 0) return 0;
  if (lines.length > 0 && lines.every((line) => line.factor === null)) return change.target;
  const factor = commonFactor(lines);
  return factor === null ? null : change.target * factor;
}

export const pickedOf = (lines: readonly LedgerLine[]): number => lines.reduce((sum, line) => sum + line.picked, 0);

/** Picked, in the unit the external system counts in, as far as that is certain. */
export const pickedInLineUnit = (lines: readonly LedgerLine[]): number => pickedOf(lines) / (commonFactor(lines) ?? 1);

/** What became of a change, judged by what has been picked of its lines. */
export function receiptState(change: Change, lines: readonly LedgerLine[], wanted: number): ChangeState {
  const picked = pickedOf(lines);
  if (picked <= wanted) return change.state === "removed" && change.offered === 0 ? "removed" : "applied";
  const requested = lines.reduce((sum, line) => sum + line.requested, 0);
  return picked >= requested ? "too-late" : "partly";
}
