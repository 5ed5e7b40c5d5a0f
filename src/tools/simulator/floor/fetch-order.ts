import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { expectContent, isFindable, isWanted } from "../changes/expect-order.ts";
import { isChanged, memberOf, noteHistory, noteServed, type OrderGroup } from "../changes/simulated-order-group.ts";
import { type RunningOrder, takeOver } from "../orders/running-order.ts";
import { type Operator, orderGroupOf, pushChangesNow } from "./operator.ts";

/** Fetches an order to work on, as the platform does. Returns false if nothing of it is wanted any more. */
export async function fetchOrder(operator: Operator, running: RunningOrder): Promise<boolean> {
  const orderGroup = orderGroupOf(operator, running.order.number);
  if (orderGroup === null) {
    const content = await scanOrder(operator, running, { isExpected: !operator.hasOffice, isByNumber: false });
    if (!operator.hasOffice) return true;
    if (content !== null) takeOver(running, content, true);
    return content !== null;
  }
  await pushChangesNow(operator, running, "before the scan");
  if (!orderGroup.plan.isFetchedEarly) {
    const content = await scan(operator, orderGroup, running);
    if (content === null) return false;
    if (isChanged(orderGroup)) takeOver(running, content, true);
  } else noteHistory(orderGroup, `${running.order.number} is worked on as it was fetched before`);
  memberOf(orderGroup, running.order.number).floor = running;
  await pushChangesNow(operator, running, "fetched");
  return true;
}

/** Fetches the order again during the work, and continues with the new content. */
export async function fetchAgain(operator: Operator, running: RunningOrder): Promise<boolean> {
  const { number } = running.order;
  const orderGroup = orderGroupOf(operator, number);
  if (orderGroup === null || orderGroup.number !== number) return false;
  const { fetchesAgainAt, isCarriedOver } = orderGroup.plan;
  if (fetchesAgainAt === null || running.steps !== fetchesAgainAt || running.isFetchedAgain) return false;
  running.isFetchedAgain = true;
  const content = await scan(operator, orderGroup, running);
  if (content === null) return false;
  // If nothing is wanted any more, the adapter shows the order unchanged and its text says that the order is finished:
  // it is not started again.
  if (!isWanted(orderGroup, number)) return false;
  noteHistory(
    orderGroup,
    `${number} has new request ids, ${isCarriedOver ? "what was picked is counted in them" : "counted from nothing"}`,
  );
  operator.tally.countChange("fetch-again");
  takeOver(running, content, isCarriedOver);
  return true;
}

/** Scans an order by its number, because a follow-up shares the other codes with its first order. */
export async function scan(
  operator: Operator,
  orderGroup: OrderGroup,
  running: Pick<RunningOrder, "order" | "source">,
  isExpected = isFindable(orderGroup, running.order.number),
): Promise<WorkOrder | null> {
  const isByNumber = isChanged(orderGroup) || running.order.number !== orderGroup.number;
  const content = await scanOrder(operator, running, { isExpected, isByNumber });
  if (content === null) return null;
  // Compared before it counts as served, because the adapter did not know about this fetch when it answered.
  expectContent(orderGroup, content, operator.tally);
  noteServed(orderGroup, content);
  return content;
}

const missing = (operator: Operator, order: string, item: string | null, text: string, found: string) =>
  operator.tally.note({
    kind: "look-up",
    order,
    item,
    text,
    expected: item ?? order,
    found,
    calls: [...(orderGroupOf(operator, order)?.history ?? operator.records.of(order).calls)],
  });

/**
 * Scans an order before it is started. An order that was just listed must be found, and be the same one. Returns null
 * if it is not found.
 */
async function scanOrder(
  operator: Operator,
  { order, source }: Pick<RunningOrder, "order" | "source">,
  { isExpected, isByNumber }: { readonly isExpected: boolean; readonly isByNumber: boolean },
): Promise<WorkOrder | null> {
  const isOther = operator.random.chance(0.5) && !isByNumber;
  const code = isOther ? (order.alternativeStartNumber ?? order.number) : order.number;
  if (source === "file") return order;
  const storage = order.designatedStorageName ?? operator.storage;
  const about = { orders: [order.number], what: code, isNeeded: isExpected };
  const answer = await operator.call("findWorkOrderByCode", { Code: code, StorageName: storage }, about);
  if (answer.result === "AdapterNotDefined") return order;
  if (answer.data?.number === order.number) return answer.data;
  const found = answer.data?.number ?? answer.result;
  if (isExpected) missing(operator, order.number, null, `the scan of ${code} did not find the order`, found);
  return null;
}

/** Looks the item up before picking, sometimes with its picture. */
export async function fetchItem(operator: Operator, order: string, number: string): Promise<void> {
  const [isAsked, isPictured] = [operator.random.chance(0.1), operator.random.chance(0.3)];
  if (!isAsked) return;
  const about = { orders: [order], what: number };
  const answer = await operator.call("getItem", { number }, { ...about, isNeeded: operator.isOwnItem(number) });
  if (operator.isOwnItem(number) && answer.data?.number !== number && answer.result !== "AdapterNotDefined") {
    missing(operator, order, number, "an item that was pushed is not there", answer.data?.number ?? answer.result);
  }
  if (isPictured) await operator.call("getItemImage", { number }, about);
}

/** Returns what the put wall shows for a scanned code: all orders of the batch, unless the adapter uses other codes. */
export async function scanBatch(
  operator: Operator,
  code: string,
  batch: readonly RunningOrder[],
): Promise<readonly WorkOrder[]> {
  const numbers = batch.map(({ order }) => order.number);
  const answer = await operator.call("findPutWallOrders", { code }, { orders: numbers, what: code, isNeeded: true });
  const shown = new Set((answer.data ?? []).map(({ number }: WorkOrder) => number));
  if (shown.size === 0) return [];
  for (const number of numbers) {
    const orderGroup = orderGroupOf(operator, number);
    if (!shown.has(number) && (orderGroup === null || isFindable(orderGroup, number)))
      missing(operator, number, null, `the put wall shows only a part of ${code}`, [...shown].join(" "));
  }
  return answer.data ?? [];
}
