import { type LineAmounts, remainingOf, roundAmount, stillCut } from "./ledger-line.ts";

/**
 * Books an amount that names only the item: lines are filled in their order, first what is wanted of them, then what the
 * platform may still have of them, and what no line has room for stays on the last one as picked beyond the request.
 * Where steps were confirmed, the same goods are being sorted: they are picked once. Returns what changed.
 */
export function shareAmount<Line extends LineAmounts>(
  lines: readonly Line[],
  amount: number,
  wantedOf: (line: Line) => number = remainingOf,
): Line[] {
  if (lines.some((line) => line.steps > 0)) return [];
  let left = amount;
  const give = (room: number): number => {
    const share = Math.max(0, Math.min(room, left));
    left = roundAmount(left - share);
    return share;
  };
  const wanted = lines.map((line) => give(Math.min(remainingOf(line), wantedOf(line))));
  const shares = lines.map((line, index) => {
    const first = wanted[index] ?? 0;
    return first + give(roundAmount(remainingOf(line) - first));
  });
  const last = lines.length - 1;
  return lines.flatMap((line, index): Line[] => {
    const share = shares[index] ?? 0;
    const over = index === last ? left : 0;
    if (share === 0 && over === 0) return [];
    // Goods that are there are not cancelled: what was given up and came after all is picked.
    const revived = Math.min(line.cancelled, over);
    const cancelled = roundAmount(line.cancelled - revived);
    return [
      {
        ...line,
        picked: roundAmount(line.picked + share + revived),
        cancelled,
        cut: stillCut(line, cancelled),
        overPicked: roundAmount(line.overPicked + over - revived),
      },
    ];
  });
}
