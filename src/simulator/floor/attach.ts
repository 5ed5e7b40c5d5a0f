import { begin } from "../changes/book-work.ts";
import { tell } from "../changes/family.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";

/** Puts an order on a container, or takes it off again; true where the adapter agrees. */
export async function attach(desk: Desk, order: string, containerCode: string, isReleased = false): Promise<boolean> {
  if (desk.tally.notOffered.has("attachWorkOrder")) return false;
  const input = { workOrderNumber: order, containerCode, isAbandonedOrCancelled: isReleased };
  const what = `${isReleased ? "off" : "on"} ${containerCode}`;
  const answer = await desk.call("attachWorkOrder", input, { orders: [order], what });
  if (!answer.ok) return false;
  desk.books.tell(order, "attachWorkOrder");
  const { containers } = desk.books.of(order);
  if (isReleased) containers.delete(containerCode);
  else containers.set(containerCode, "");
  const family = familyOf(desk, order);
  if (family !== null && !isReleased) {
    begin(family, order);
    tell(family, `${order} attached to ${containerCode}`);
  }
  return true;
}
