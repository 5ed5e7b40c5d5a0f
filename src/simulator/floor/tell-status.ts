import { WorkOrderStatus } from "../../contract/enums.ts";
import { begin, bookEnd } from "../changes/book-work.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";

/** As older platforms do: every change of an order's status is told as well. */
export async function tellStatus(desk: Desk, { order }: RunningOrder, status: WorkOrderStatus): Promise<void> {
  if (desk.tally.notOffered.has("changeStatus")) return;
  const about = { orders: [order.number], what: `to ${status}` };
  const answer = await desk.call("changeStatus", { number: order.number, status }, about);
  if (!answer.ok) return;
  desk.books.tell(order.number, "changeStatus");
  const family = familyOf(desk, order.number);
  if (family === null) return;
  if (status === WorkOrderStatus.Assigned) begin(family, order.number);
  else bookEnd(family, order.number);
}

/** What has become of an order when its job is done. */
export function statusAtTheEnd({ lines }: Pick<RunningOrder, "lines">): WorkOrderStatus {
  if (lines.every(({ isCancelled }) => isCancelled)) return WorkOrderStatus.Canceled;
  return lines.some(({ isCancelled }) => isCancelled)
    ? WorkOrderStatus.CompletedWithCancelations
    : WorkOrderStatus.Completed;
}
