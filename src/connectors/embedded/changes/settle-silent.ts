import type { ResidentEntry } from "../../../journal/resident.ts";
import { roundAmount } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { concerns } from "./change.ts";
import type { ChangeTable } from "./change-table.ts";
import { keepAmounts } from "./keep-amounts.ts";
import { pickedInLineUnit, wantedAmount } from "./receipt-state.ts";
import { finalState } from "./settle-done.ts";

/**
 * Settles changes whose last offer nobody answered with a step. The contract has no acknowledgement and no end of an
 * order: what went out with an order's last step is taken over, and nothing ever says so. Should a step come all the
 * same, its model is looked at as before.
 */
export function settleSilent(
  { ledger, table }: { readonly ledger: Ledger; readonly table: ChangeTable },
  beforeMs: number,
  entry: ResidentEntry,
): readonly string[] {
  const silent = table.offeredBefore(beforeMs);
  for (const change of silent) {
    const { orderNumber } = change;
    const own = ledger.linesOf(orderNumber).filter((account) => concerns(change, account));
    const settled = {
      ...{ state: finalState(change, own), picked: pickedInLineUnit(own) },
      ...{ step: ledger.stepCount(orderNumber), watched: true, final: true },
    };
    table.settle(change, settled, entry);
    const wanted = wantedAmount(change, own);
    // What is wanted cannot be said in the unit of the accounts: they stay open rather than wrong.
    if (wanted === null) continue;
    const keep = keepAmounts(
      own.map(({ requested, cancelled, picked }) => ({ live: requested - cancelled, picked })),
      wanted,
    );
    own.forEach((account, index) => {
      const cancelled = roundAmount(account.requested - (keep[index] ?? account.requested));
      if (cancelled > account.cancelled) ledger.book({ ...account, cancelled });
    });
  }
  return [...new Set(silent.map(({ orderNumber }) => orderNumber))];
}
