import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { expectContent, isFindable, isWanted } from "../changes/expect-order.ts";
import { event, isChanged, memberOf, noteServed, type OrderGroup } from "../changes/order-group.ts";
import { type RunningOrder, takeOver } from "../orders/running-order.ts";
import { type Desk, orderGroupOf, pushChangesNow } from "./desk.ts";

/** Fetches an order to work on, as the platform does. Returns false if nothing of it is wanted any more. */
export async function fetchOrder(desk: Desk, running: RunningOrder): Promise<boolean> {
  const orderGroup = orderGroupOf(desk, running.order.number);
  if (orderGroup === null) {
    const content = await scanOrder(desk, running, { isExpected: !desk.hasOffice, isByNumber: false });
    if (!desk.hasOffice) return true;
    if (content !== null) takeOver(running, content, true);
    return content !== null;
  }
  await pushChangesNow(desk, running, "before the scan");
  if (!orderGroup.plan.isFetchedEarly) {
    const content = await scan(desk, orderGroup, running);
    if (content === null) return false;
    if (isChanged(orderGroup)) takeOver(running, content, true);
  } else event(orderGroup, `${running.order.number} is worked on as it was fetched before`);
  memberOf(orderGroup, running.order.number).floor = running;
  await pushChangesNow(desk, running, "fetched");
  return true;
}

/** Fetches the order again during the work, and continues with the new content. */
export async function fetchAgain(desk: Desk, running: RunningOrder): Promise<boolean> {
  const { number } = running.order;
  const orderGroup = orderGroupOf(desk, number);
  if (orderGroup === null || orderGroup.number !== number) return false;
  const { fetchesAgainAt, isCarriedOver } = orderGroup.plan;
  if (fetchesAgainAt === null || running.steps !== fetchesAgainAt || running.isFetchedAgain) return false;
  running.isFetchedAgain = true;
  const content = await scan(desk, orderGroup, running);
  if (content === null) return false;
  // If nothing is wanted any more, the adapter shows the order unchanged and its text says that the order is finished:
  // it is not started again.
  if (!isWanted(orderGroup, number)) return false;
  event(
    orderGroup,
    `${number} has new request ids, ${isCarriedOver ? "what was picked is counted in them" : "counted from nothing"}`,
  );
  desk.tally.countChange("fetch-again");
  takeOver(running, content, isCarriedOver);
  return true;
}

/** Scans an order by its number, because a follow-up shares the other codes with its first order. */
export async function scan(
  desk: Desk,
  orderGroup: OrderGroup,
  running: Pick<RunningOrder, "order" | "source">,
  isExpected = isFindable(orderGroup, running.order.number),
): Promise<WorkOrder | null> {
  const isByNumber = isChanged(orderGroup) || running.order.number !== orderGroup.number;
  const content = await scanOrder(desk, running, { isExpected, isByNumber });
  if (content === null) return null;
  // Compared before it counts as served, because the adapter did not know about this fetch when it answered.
  expectContent(orderGroup, content, desk.tally);
  noteServed(orderGroup, content);
  return content;
}

const missing = (desk: Desk, order: string, item: string | null, text: string, found: string) =>
  desk.tally.note({
    kind: "look-up",
    order,
    item,
    text,
    expected: item ?? order,
    found,
    calls: [...(orderGroupOf(desk, order)?.history ?? desk.books.of(order).calls)],
  });

/**
 * Scans an order before it is started. An order that was just listed must be found, and be the same one. Returns null
 * if it is not found.
 */
async function scanOrder(
  desk: Desk,
  { order, source }: Pick<RunningOrder, "order" | "source">,
  { isExpected, isByNumber }: { readonly isExpected: boolean; readonly isByNumber: boolean },
): Promise<WorkOrder | null> {
  const isOther = desk.random.chance(0.5) && !isByNumber;
  const code = isOther ? (order.alternativeStartNumber ?? order.number) : order.number;
  if (source === "file") return order;
  const storage = order.designatedStorageName ?? desk.storage;
  const about = { orders: [order.number], what: code, isNeeded: isExpected };
  const answer = await desk.call("findWorkOrderByCode", { Code: code, StorageName: storage }, about);
  if (answer.result === "AdapterNotDefined") return order;
  if (answer.data?.number === order.number) return answer.data;
  const found = answer.data?.number ?? answer.result;
  if (isExpected) missing(desk, order.number, null, `the scan of ${code} did not find the order`, found);
  return null;
}

/** Looks the item up before picking, sometimes with its picture. */
export async function lookAtItem(desk: Desk, order: string, number: string): Promise<void> {
  const [isAsked, isPictured] = [desk.random.chance(0.1), desk.random.chance(0.3)];
  if (!isAsked) return;
  const about = { orders: [order], what: number };
  const answer = await desk.call("getItem", { number }, { ...about, isNeeded: desk.isOwnItem(number) });
  if (desk.isOwnItem(number) && answer.data?.number !== number && answer.result !== "AdapterNotDefined") {
    missing(desk, order, number, "an item that was pushed is not there", answer.data?.number ?? answer.result);
  }
  if (isPictured) await desk.call("getItemImage", { number }, about);
}

/** Returns what the put wall shows for a scanned code: all orders of the batch, unless the adapter uses other codes. */
export async function scanBatch(
  desk: Desk,
  code: string,
  batch: readonly RunningOrder[],
): Promise<readonly WorkOrder[]> {
  const numbers = batch.map(({ order }) => order.number);
  const answer = await desk.call("findPutWallOrders", { code }, { orders: numbers, what: code, isNeeded: true });
  const shown = new Set((answer.data ?? []).map(({ number }: WorkOrder) => number));
  if (shown.size === 0) return [];
  for (const number of numbers) {
    const orderGroup = orderGroupOf(desk, number);
    if (!shown.has(number) && (orderGroup === null || isFindable(orderGroup, number)))
      missing(desk, number, null, `the put wall shows only a part of ${code}`, [...shown].join(" "));
  }
  return answer.data ?? [];
}
