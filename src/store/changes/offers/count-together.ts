import { type LedgerLine, roundAmount, stillCut } from "../../ledger/ledger-line.ts";
import type { Ledger } from "../../ledger/open-ledger.ts";
import type { Family } from "../family.ts";

/** The account that a step was booked on. */
export interface BookedStep {
  /** As it was before the step; null for one that the step has opened. */
  readonly was: LedgerLine | null;
  readonly account: LedgerLine;
}

/**
 * Lines that nothing tells apart count together, and so does the most that was ever shown of them: what one of them shows
 * more and another one less is the same amount. Each with the most of its own, they would seem to have been asked for
 * more than ever was, and what the floor gave up of one of them would stay cut short although the other one has it. Returns
 * whether anything was booked.
 */
export function countTogether(
  ledger: Pick<Ledger, "book">,
  { before, after, orderNumber }: { readonly before: Family; readonly after: Family; readonly orderNumber: string },
  { was, account }: BookedStep,
): boolean {
  const index = after.carriers.findIndex(({ number }) => number === orderNumber);
  let isAny = false;
  for (const { key, accounts } of after.lines) {
    const own = (accounts[index] ?? []).filter(isShown);
    if (own.length < 2 || own.every(({ cancelled }) => cancelled === 0)) continue;
    const known = before.lines.find((line) => line.key === key)?.accounts[index] ?? [];
    const earlier = known.flatMap((line) => (line.position === account.position ? (was ?? []) : line));
    const most = Math.max(
      sum(earlier.filter(isShown), ({ requested }) => requested),
      sum(own, ({ requested, cancelled }) => requested - cancelled),
    );
    let excess = roundAmount(sum(own, ({ requested }) => requested) - most);
    for (const line of own) {
      const moved = Math.min(excess, line.cancelled);
      if (moved <= 0) continue;
      const cancelled = roundAmount(line.cancelled - moved);
      ledger.book({
        ...line,
        requested: roundAmount(line.requested - moved),
        cancelled,
        cut: stillCut(line, cancelled),
      });
      excess = roundAmount(excess - moved);
      isAny = true;
    }
  }
  return isAny;
}

const isShown = ({ factor }: LedgerLine): boolean => factor !== null;

const sum = (lines: readonly LedgerLine[], of: (line: LedgerLine) => number): number =>
  lines.reduce((total, line) => total + of(line), 0);
