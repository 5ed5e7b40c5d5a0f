import type { ResidentEntry } from "../../../journal/resident.ts";
import type { EventNeeds } from "./event-handler.ts";

/** Ends an order in the store whose lines are all picked or cancelled. One that came by other ways has no known end. */
export function finishIfDone(needs: EventNeeds, orderNumber: string, entry: ResidentEntry): void {
  const { orders, ledger, changes } = needs;
  if (!ledger.isSettled(orderNumber) || orders.find(orderNumber)?.state !== "started") return;
  orders.setState(orderNumber, "finished");
  changes.settleDoneLines(orderNumber, entry);
}
