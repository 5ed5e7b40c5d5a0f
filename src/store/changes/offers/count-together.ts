import type { LedgerLine } from "../../ledger/ledger-line.ts";
import type { Ledger } from "../../ledger/open-ledger.ts";
import { shownTogether } from "../../ledger/shown-together.ts";
import type { Family } from "../family.ts";

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
  const index = after.carriers.findIndex(({ number }) => number === orderNumber);
  let isAny = false;
  for (const { key, accounts } of after.lines) {
    const own = accounts[index] ?? [];
    if (own.length < 2) continue;
    const known = before.lines.find((line) => line.key === key)?.accounts[index] ?? [];
    const earlier = known.flatMap((line) => (line.position === account.position ? (was ?? []) : line));
    for (const line of shownTogether(earlier, own)) {
      ledger.book(line);
      isAny = true;
    }
  }
  return isAny;
}
