import { type LedgerLine, presentOf, roundAmount, stillShortPicked } from "./ledger-line.ts";

/**
 * Lines that cannot be told apart are counted together, and so is the most that was ever shown of them. If one shows
 * more and another less, the total is the same. Counted one by one, they would seem to have been asked for more than
 * ever was, and what was given up of one would stay short-picked although the other has it. Returns the ledger lines to
 * book again.
 */
export function recountIndistinguishable(before: readonly LedgerLine[], after: readonly LedgerLine[]): LedgerLine[] {
  const own = after.filter(isShown);
  if (own.length < 2 || own.every(({ cancelled }) => cancelled === 0)) return [];
  const most = Math.max(total(before.filter(isShown), requestedOf), total(own, presentOf));
  let excess = roundAmount(total(own, requestedOf) - most);
  return own.flatMap((line) => {
    const moved = Math.min(excess, line.cancelled);
    if (moved <= 0) return [];
    excess = roundAmount(excess - moved);
    const cancelled = roundAmount(line.cancelled - moved);
    return [
      {
        ...line,
        requested: roundAmount(line.requested - moved),
        cancelled,
        shortPicked: stillShortPicked(line, cancelled),
      },
    ];
  });
}

const isShown = ({ factor }: LedgerLine): boolean => factor !== null;

const requestedOf = ({ requested }: LedgerLine): number => requested;

const total = (lines: readonly LedgerLine[], of: (line: LedgerLine) => number): number =>
  lines.reduce((sum, line) => sum + of(line), 0);
