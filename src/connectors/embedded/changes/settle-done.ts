import type { ResidentEntry } from "../../../journal/resident.ts";
import { type LedgerLine, remainingOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import { type Change, type ChangeState, concerns, isWholeOrder } from "./change.ts";
import type { ChangeTable } from "./change-table.ts";
import { pickedInLineUnit, pickedOf, receiptState, wantedAmount } from "./receipt-state.ts";

type Needs = { readonly ledger: Ledger; readonly table: ChangeTable };

/** What the accounts say became of a change whose lines nobody works on any more. */
export function finalState(change: Change, accounts: readonly LedgerLine[]): ChangeState {
  const wanted = wantedAmount(change, accounts);
  if (wanted !== null) return receiptState(change, accounts, wanted);
  const requested = accounts.reduce((sum, line) => sum + line.requested, 0);
  return pickedOf(accounts) >= requested ? "too-late" : "partly";
}

/** Settles what is still watched of an order the platform has ended: no model of it will come any more. */
export function settleOrder({ ledger, table }: Needs, orderNumber: string, entry: ResidentEntry): void {
  const watched = table.watched(orderNumber);
  if (watched.length === 0) return;
  const accounts = ledger.linesOf(orderNumber);
  const step = ledger.stepCount(orderNumber);
  for (const change of watched) {
    const own = accounts.filter((account) => concerns(change, account));
    const state = finalState(change, own);
    table.settle(change, { state, step, picked: pickedInLineUnit(own), watched: false, final: true }, entry);
  }
}

/**
 * After something was booked: settles changes whose lines have nothing open any
 * more, and notes on the others how far beyond the wanted amount the floor has gone.
 */
export function settleDoneLines({ ledger, table }: Needs, orderNumber: string, entry: ResidentEntry): void {
  const pending = table.watched(orderNumber);
  if (pending.length === 0) return;
  const accounts = ledger.linesOf(orderNumber);
  const step = ledger.stepCount(orderNumber);
  for (const change of pending) {
    const own = accounts.filter((account) => concerns(change, account));
    if (own.length === 0) continue;
    const picked = pickedInLineUnit(own);
    if (own.every((line) => remainingOf(line) === 0)) {
      // The whole order stays watched: the platform may have lines that were removed before it began.
      const watched = isWholeOrder(change);
      const final = !watched || !table.hasUnseen(orderNumber);
      table.settle(change, { state: finalState(change, own), step, picked, watched, final }, entry);
    } else if (pickedOf(own) > (wantedAmount(change, own) ?? Number.POSITIVE_INFINITY)) {
      table.settle(change, { state: "partly", step, picked, watched: true, final: false }, entry);
    }
  }
}
