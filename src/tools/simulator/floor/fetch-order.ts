import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { expectContent, isFindable, isWanted } from "../changes/expect-order.ts";
import { carrierOf, event, type Family, isChanged, noteServed } from "../changes/order-family.ts";
import { type RunningOrder, takeOver } from "../orders/running-order.ts";
import { type Desk, familyOf, speakUp } from "./desk.ts";

/** The platform fetches an order to work on; false if nothing of it is wanted any more. */
export async function fetchOrder(desk: Desk, running: RunningOrder): Promise<boolean> {
  const family = familyOf(desk, running.order.number);
  if (family === null) {
    const content = await scanOrder(desk, running, { isExpected: !desk.hasOffice, isByNumber: false });
    if (!desk.hasOffice) return true;
    if (content !== null) takeOver(running, content, true);
    return content !== null;
  }
  await speakUp(desk, running, "before the scan");
  if (!family.plan.isFetchedEarly) {
    const content = await scan(desk, family, running);
    if (content === null) return false;
    if (isChanged(family)) takeOver(running, content, true);
  } else event(family, `${running.order.number} is worked on as it was fetched before`);
  carrierOf(family, running.order.number).floor = running;
  await speakUp(desk, running, "fetched");
  return true;
}

/** Fetches the order again during the work, and continues with the new content. */
export async function fetchAgain(desk: Desk, running: RunningOrder): Promise<boolean> {
  const { number } = running.order;
  const family = familyOf(desk, number);
  if (family === null || family.number !== number) return false;
  const { fetchesAgainAt, isCarriedOver } = family.plan;
  if (fetchesAgainAt === null || running.steps !== fetchesAgainAt || running.isFetchedAgain) return false;
  running.isFetchedAgain = true;
  const content = await scan(desk, family, running);
  if (content === null) return false;
  // If nothing is wanted any more, the order is shown unchanged and the text says that it is finished: it is not
  // started again.
  if (!isWanted(family, number)) return false;
  event(
    family,
    `${number} has new request ids, ${isCarriedOver ? "what was picked is counted in them" : "counted from nothing"}`,
  );
  desk.tally.countChange("fetch-again");
  takeOver(running, content, isCarriedOver);
  return true;
}

/** By its number: a follow-up shares the other codes with its first order. */
export async function scan(
  desk: Desk,
  family: Family,
  running: Pick<RunningOrder, "order" | "source">,
  isExpected = isFindable(family, running.order.number),
): Promise<WorkOrder | null> {
  const isByNumber = isChanged(family) || running.order.number !== family.number;
  const content = await scanOrder(desk, running, { isExpected, isByNumber });
  if (content === null) return null;
  // Compared before it counts as served, because the adapter answered without knowing that.
  expectContent(family, content, desk.tally);
  noteServed(family, content);
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
    calls: [...(familyOf(desk, order)?.history ?? desk.books.of(order).calls)],
  });

/**
 * Scans an order before it is started: an order that was just listed must be found, and be the same one. Null if it is
 * not found.
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

/** What the put wall shows for a scanned code: all orders of the batch, unless the adapter uses other codes. */
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
    const family = familyOf(desk, number);
    if (!shown.has(number) && (family === null || isFindable(family, number)))
      missing(desk, number, null, `the put wall shows only a part of ${code}`, [...shown].join(" "));
  }
  return answer.data ?? [];
}
