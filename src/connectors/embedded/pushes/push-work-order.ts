import { isDeepStrictEqual } from "node:util";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { OrderState, OrderStore } from "../order-store.ts";

/**
 * Takes in an order as the external system now wants it. One that is pushed for the first time is offered, unless the
 * floor has worked on it before. One that is pushed again is a word on what is wanted; the same again says nothing new.
 */
export function pushWorkOrder(needs: {
  readonly orders: OrderStore;
  readonly changes: Pick<Changes, "push" | "readKept">;
  /** What the floor has made of an order before it was pushed; undefined where there was no sign of work. */
  readonly workedBefore: (number: string) => OrderState | undefined;
}): (workOrder: WorkOrder, entry: ResidentEntry) => void {
  const { orders, changes, workedBefore } = needs;
  return (workOrder, entry) => {
    const { number } = workOrder;
    const stored = orders.find(number);
    // What is stored of it may be less than was pushed: then only what was kept of the push tells what is new.
    const isKept = changes.readKept(number) !== undefined;
    if (stored !== undefined) {
      if (isKept || !isDeepStrictEqual(stored.workOrder, workOrder)) changes.push(workOrder, entry);
      return;
    }
    orders.insert(workOrder, entry.receivedAt);
    const state = workedBefore(number);
    if (state !== undefined) orders.sign(number);
    if (state === "finished" || state === "cancelled") orders.setState(number, state);
    // What was said before it came is void now, and what was picked counts.
    if (isKept || state !== undefined) changes.push(workOrder, entry, { isFirst: true });
  };
}
