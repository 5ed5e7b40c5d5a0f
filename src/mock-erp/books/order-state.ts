import type { Booking, ErpLine, ErpOrder } from "./erp-records.ts";

/** Nobody picks it any more: its totes are free. */
export const isClosed = ({ state }: Pick<ErpOrder, "state">): boolean => state === "completed" || state === "cancelled";

/** By its number; where the event has none by the item, one that is still open first. */
export function lineOf(order: ErpOrder, { line, item }: Booking): ErpLine | undefined {
  const byNumber = line === null ? undefined : order.lines.find((one) => String(one.line) === line);
  if (byNumber !== undefined) return byNumber;
  const ofItem = order.lines.filter((one) => one.item === item);
  return ofItem.find((one) => !one.isCancelled && one.picked < one.qty) ?? ofItem[0];
}

const isDone = ({ isCancelled, picked, qty }: ErpLine) => isCancelled || picked >= qty;

export function stateAfter(
  order: ErpOrder,
  { what, note }: Pick<Booking, "what"> & { note?: string | null },
): ErpOrder["state"] {
  if (what === "state") return (note ?? order.state) as ErpOrder["state"];
  if (what === "move" || what === "note") return order.state;
  if (order.lines.every(({ isCancelled, picked }) => isCancelled && picked === 0)) return "cancelled";
  if (order.lines.every(isDone)) return "completed";
  return order.state === "released" && what === "release" ? "released" : what === "cancel" ? order.state : "started";
}
