import type { LedgerLine } from "../../ledger/ledger-line.ts";
import type { Ledger } from "../../ledger/open-ledger.ts";
import { shownTogether } from "../../ledger/shown-together.ts";
import { carrierIndex, type Family, type FamilyLine } from "../family.ts";

/** The account that a step was booked on. */
export interface BookedStep {
  /** As it was before the step; null for one that the step has opened. */
  readonly was: LedgerLine | null;
  readonly account: LedgerLine;
}

/** After a step and its model were booked: what they show of lines that nothing tells apart. Returns whether that changed. */
export function countTogether(
  ledger: Pick<Ledger, "book">,
  { before, after, orderNumber }: { readonly before: Family; readonly after: Family; readonly orderNumber: string },
  { was, account }: BookedStep,
): boolean {
  const index = carrierIndex(after, orderNumber);
  let isAny = false;
  let knownLines: ReadonlyMap<string, FamilyLine> | undefined;
  for (const { key, accounts } of after.lines) {
    const own = accounts[index] ?? [];
    if (own.length < 2) continue;
    // At first use: few orders have such lines.
    knownLines ??= new Map(before.lines.map((line) => [line.key, line]));
    const known = knownLines.get(key)?.accounts[index] ?? [];
    const earlier = known.flatMap((line) => (line.position === account.position ? (was ?? []) : line));
    for (const line of shownTogether(earlier, own)) {
      ledger.book(line);
      isAny = true;
    }
  }
  return isAny;
}
