import { type LedgerLine, presentOf, roundAmount, stillCut } from "./ledger-line.ts";

/**
 * Lines that nothing tells apart count together, and so does the most that was ever shown of them: what one of them shows
 * more and another one less is the same amount. Each with the most of its own, they would seem to have been asked for
 * more than ever was, and what the floor gave up of one of them would stay cut short although the other one has it. Gives the
 * accounts that are to be booked otherwise.
 */
export function shownTogether(before: readonly LedgerLine[], after: readonly LedgerLine[]): LedgerLine[] {
  const own = after.filter(isShown);
  if (own.length < 2 || own.every(({ cancelled }) => cancelled === 0)) return [];
  const most = Math.max(total(before.filter(isShown), requestedOf), total(own, presentOf));
  let excess = roundAmount(total(own, requestedOf) - most);
  return own.flatMap((line) => {
    const moved = Math.min(excess, line.cancelled);
    if (moved <= 0) return [];
    excess = roundAmount(excess - moved);
    const cancelled = roundAmount(line.cancelled - moved);
    return [{ ...line, requested: roundAmount(line.requested - moved), cancelled, cut: stillCut(line, cancelled) }];
  });
}

const isShown = ({ factor }: LedgerLine): boolean => factor !== null;

const requestedOf = ({ requested }: LedgerLine): number => requested;

const total = (lines: readonly LedgerLine[], of: (line: LedgerLine) => number): number =>
  lines.reduce((sum, line) => sum + of(line), 0);
