import type { ResidentEntry } from "../../../journal/resident.ts";
import { isCalledOff } from "../changes/family.ts";
import { cancelOpen, takenOf } from "../ledger/ledger-line.ts";
import type { EventNeeds } from "./event-handler.ts";

/**
 * The platform has abandoned an order. With nothing picked it is there to be worked on again, as if nobody had begun. If
 * the external system has cancelled it meanwhile, nothing of it is open any more.
 */
export function letGo(needs: EventNeeds, orderNumber: string, entry: ResidentEntry): void {
  const { orders, ledger, changes } = needs;
  const accounts = ledger.accountsOf(orderNumber);
  if (accounts.every((account) => takenOf(account) === 0)) {
    ledger.remove(orderNumber);
    orders.release(orderNumber);
  } else {
    const family = changes.read(orderNumber);
    if (family === undefined || !isCalledOff(family)) return;
    for (const account of accounts) ledger.book(cancelOpen(account));
  }
  changes.settle(orderNumber, entry);
}
