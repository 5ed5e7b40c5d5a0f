import { isDeepStrictEqual } from "node:util";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { OrderStore } from "../order-store.ts";

/**
 * Takes in an order as the external system now wants it. An order nobody has begun simply becomes the new one;
 * what is being picked, or was, can only be changed step by step.
 */
export function pushWorkOrder(needs: {
  readonly orders: OrderStore;
  readonly changes: Pick<Changes, "revise" | "takeBack">;
}): (workOrder: WorkOrder, entry: ResidentEntry) => void {
  const { orders, changes } = needs;
  return (workOrder, entry) => {
    const { number } = workOrder;
    const stored = orders.find(number);
    if (stored === undefined) {
      changes.takeBack(workOrder, entry);
      orders.insert(workOrder, entry.receivedAt);
      return;
    }
    const isSame = isDeepStrictEqual(stored.workOrder, workOrder);
    if (isSame && stored.state === "waiting") return;
    changes.revise(stored, workOrder, entry);
    // Begun or done: what differs has become changes, and the order stays what the platform knows it to be.
    if (stored.worked) return;
    if (!isSame) orders.replace(number, workOrder);
    orders.setState(number, "waiting");
  };
}
