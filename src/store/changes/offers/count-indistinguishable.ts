import type { LedgerLine } from "../../ledger/ledger-line.ts";
import type { Ledger } from "../../ledger/open-ledger.ts";
import { recountIndistinguishable } from "../../ledger/recount-indistinguishable.ts";
import { type GroupLine, memberIndex, type OrderGroup } from "../order-group.ts";

/** The ledger line that a step was booked on. */
export interface BookedStep {
  /** The ledger line before the step; null when the step opened it. */
  readonly was: LedgerLine | null;
  readonly ledgerLine: LedgerLine;
}

/**
 * After a step and its model were booked: counts lines that cannot be told apart together. Returns whether that changed
 * anything.
 */
export function countIndistinguishable(
  ledger: Pick<Ledger, "book">,
  {
    before,
    after,
    orderNumber,
  }: { readonly before: OrderGroup; readonly after: OrderGroup; readonly orderNumber: string },
  { was, ledgerLine }: BookedStep,
): boolean {
  const index = memberIndex(after, orderNumber);
  let isAny = false;
  let knownLines: ReadonlyMap<string, GroupLine> | undefined;
  for (const { key, ledgerLines } of after.lines) {
    const own = ledgerLines[index] ?? [];
    if (own.length < 2) continue;
    // Built at first use: few orders have lines that cannot be told apart.
    knownLines ??= new Map(before.lines.map((line) => [line.key, line]));
    const known = knownLines.get(key)?.ledgerLines[index] ?? [];
    const earlier = known.flatMap((line) => (line.position === ledgerLine.position ? (was ?? []) : line));
    for (const line of recountIndistinguishable(earlier, own)) {
      ledger.book(line);
      isAny = true;
    }
  }
  return isAny;
}
