import type { ResidentEntry } from "../../../journal/resident.ts";
import type { OrderState } from "../order-store.ts";
import type { EventNeeds } from "./event-handler.ts";
import { isCalledOff } from "./is-called-off.ts";

/** Ends an order in the store whose lines are all picked or cancelled. One that came by other ways has no known end. */
export function finishIfDone(needs: EventNeeds, orderNumber: string, entry: ResidentEntry): void {
  const { orders, ledger, changes } = needs;
  if (!ledger.isSettled(orderNumber)) return;
  const state = orders.stateOf(orderNumber);
  if (state === undefined || state === "finished") return;
  if (state === "started") orders.setState(orderNumber, endOf(needs, orderNumber));
  changes.settleDoneLines(orderNumber, entry);
}

/** What an order is that nobody works on any more: whoever scans it is to put the goods of a cancelled one aside. */
export const endOf = ({ changes }: Pick<EventNeeds, "changes">, orderNumber: string): OrderState =>
  isCalledOff(changes, orderNumber) ? "cancelled" : "finished";
