import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { isFindable } from "../changes/expect-content.ts";
import type { RunningOrder } from "../orders/running-order.ts";
import type { Desk } from "./desk.ts";
import { familyOf } from "./family-of.ts";

const missing = (desk: Desk, order: string, item: string | null, text: string, found: string) =>
  desk.tally.note({
    kind: "look-up",
    order,
    item,
    text,
    expected: item ?? order,
    found,
    calls: [...(familyOf(desk, order)?.history ?? desk.books.of(order).calls)],
  });

/**
 * Scans the order where it is to be begun: what was listed a moment ago must be found, and be the same one. Null where
 * it is not found.
 */
export async function scanOrder(
  desk: Desk,
  { order, source }: Pick<RunningOrder, "order" | "source">,
  { isExpected, isByNumber }: { readonly isExpected: boolean; readonly isByNumber: boolean },
): Promise<WorkOrder | null> {
  const isOther = desk.random.chance(0.5) && !isByNumber;
  const code = isOther ? (order.alternativeStartNumber ?? order.number) : order.number;
  if (source === "file") return order;
  const storage = order.designatedStorageName ?? desk.storage;
  const about = { orders: [order.number], what: code };
  const answer = await desk.call("findWorkOrderByCode", { Code: code, StorageName: storage }, about);
  if (answer.result === "AdapterNotDefined") return order;
  if (answer.data?.number === order.number) return answer.data;
  const found = answer.data?.number ?? answer.result;
  if (isExpected) missing(desk, order.number, null, `the scan of ${code} did not find the order`, found);
  return null;
}

/** Looks the item up on the way to the shelf, sometimes with its picture. */
export async function lookAtItem(desk: Desk, order: string, number: string): Promise<void> {
  const [isAsked, isPictured] = [desk.random.chance(0.1), desk.random.chance(0.3)];
  if (!isAsked) return;
  const about = { orders: [order], what: number };
  const answer = await desk.call("getItem", { number }, about);
  if (desk.isOwnItem(number) && answer.data?.number !== number && answer.result !== "AdapterNotDefined") {
    missing(desk, order, number, "an item that was pushed is not there", answer.data?.number ?? answer.result);
  }
  if (isPictured) await desk.call("getItemImage", { number }, about);
}

/** What the put wall shows for a scanned code; all orders of the batch, or the adapter knows other codes. */
export async function scanBatch(
  desk: Desk,
  code: string,
  batch: readonly RunningOrder[],
): Promise<readonly WorkOrder[]> {
  const numbers = batch.map(({ order }) => order.number);
  const answer = await desk.call("findPutWallOrders", { code }, { orders: numbers, what: code });
  const shown = new Set((answer.data ?? []).map(({ number }: WorkOrder) => number));
  if (shown.size === 0) return [];
  for (const number of numbers) {
    const family = familyOf(desk, number);
    if (!shown.has(number) && (family === null || isFindable(family, number)))
      missing(desk, number, null, `the put wall shows only a part of ${code}`, [...shown].join(" "));
  }
  return answer.data ?? [];
}
