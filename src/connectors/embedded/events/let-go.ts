import type { ResidentEntry } from "../../../journal/resident.ts";
import { cancelRest } from "../ledger/ledger-line.ts";
import type { EventNeeds } from "./event-handler.ts";
import { finishIfDone } from "./finish-order.ts";
import { isCalledOff } from "./is-called-off.ts";

/**
 * The platform has let go of an order. If the external system has cancelled it meanwhile, nothing of it is open any
 * more. The change stays watched: should somebody take the order up all the same, it is offered again.
 */
export function letGo(needs: EventNeeds, orderNumber: string, entry: ResidentEntry): void {
  const { ledger, changes } = needs;
  if (!isCalledOff(changes, orderNumber)) return;
  for (const line of ledger.linesOf(orderNumber)) ledger.book(cancelRest(line));
  changes.settleDoneLines(orderNumber, entry);
  finishIfDone(needs, orderNumber, entry);
}
