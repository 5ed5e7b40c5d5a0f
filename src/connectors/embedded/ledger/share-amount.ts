import { type LineAmounts, remainingOf, roundAmount } from "./ledger-line.ts";

/**
 * Books an amount that names only the item: lines are filled in their order, and what no line has room for
 * stays on the last one as picked beyond the request. Returns the lines that changed.
 */
export function shareAmount<Line extends LineAmounts>(lines: readonly Line[], amount: number): Line[] {
  const last = lines.at(-1);
  let left = amount;
  const shared: Line[] = [];
  for (const line of lines) {
    const share = Math.min(remainingOf(line), left);
    left = roundAmount(left - share);
    const over = line === last ? left : 0;
    if (share === 0 && over === 0) continue;
    // Goods that are there are not cancelled: what was given up and came after all is picked.
    const revived = Math.min(line.cancelled, over);
    shared.push({
      ...line,
      picked: roundAmount(line.picked + share + revived),
      cancelled: roundAmount(line.cancelled - revived),
      overPicked: roundAmount(line.overPicked + over - revived),
    });
  }
  return shared;
}
