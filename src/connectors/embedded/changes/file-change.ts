import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import { Fault } from "../../../sdk/fault.ts";
import { filled, namesOf } from "../ledger/line-sight.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore, StoredOrder } from "../order-store.ts";
import { type Change, type ChangeTarget, concerns, isWholeOrder, replaces, targetOf } from "./change.ts";
import type { ChangeTable, NewChange } from "./change-table.ts";
import type { FollowUps } from "./follow-ups.ts";
import { keepAmounts } from "./keep-amounts.ts";
import { pickedInLineUnit } from "./receipt-state.ts";
import { finalState } from "./settle-done.ts";
import { amountIn, wantedOf } from "./wanted-of.ts";

export interface ChangeNeeds {
  readonly ledger: Ledger;
  readonly table: ChangeTable;
  readonly orders: OrderStore;
  readonly followUps: FollowUps;
}

/** What is wanted of some lines of one order from now on. */
export interface Wish extends ChangeTarget {
  readonly orderNumber: string;
  readonly target: number;
  readonly reason: string | null;
}

/** Files a cancellation or reduction, for the order and for what was added to it later. */
export function fileCancellation(needs: ChangeNeeds, cancellation: PushedCancellation, entry: ResidentEntry): void {
  const { workOrderNumber: orderNumber, requestedAmount } = cancellation;
  const named = targetOf(cancellation);
  const target = requestedAmount ?? 0;
  if (isWholeOrder(named) && target > 0) {
    throw new Fault("invalid", `a reduction of order ${orderNumber} to ${target} names no line`);
  }
  fileWish(needs, { ...named, orderNumber, target, reason: filled(cancellation.reason) }, entry);
}

/** The order keeps what it can of the wanted amount; follow-up orders get what is left of it, the oldest first. */
export function fileWish(needs: ChangeNeeds, wish: Wish, entry: ResidentEntry): void {
  const main = needs.orders.find(wish.orderNumber);
  const followUps = needs.followUps.of(wish.orderNumber);
  if (main === undefined || followUps.length === 0) {
    fileOne(needs, wish, main, entry);
    return;
  }
  let left = wish.target;
  for (const order of [main, ...followUps]) {
    const wanted = wantedOf(needs, order, wish);
    const target = Math.max(0, Math.min(wanted, left));
    left -= wanted;
    if (target < wanted) fileOne(needs, { ...wish, orderNumber: order.number, target }, order, entry);
  }
}

function fileOne(needs: ChangeNeeds, given: Wish, order: StoredOrder | undefined, entry: ResidentEntry): void {
  const { table, ledger } = needs;
  const wish = withNames(given, order?.workOrder);
  const watched = table.watched(wish.orderNumber);
  const change = { ...wish, picked: null };
  if (isMet(wish, order, watched)) {
    table.add({ ...change, state: "applied", watched: false }, entry);
    return;
  }
  const replaced = watched.filter((older) => replaces(wish, older));
  for (const older of replaced) table.supersede(older, entry);

  if (order?.state === "waiting") {
    lowerWaiting(needs.orders, order, wish);
    table.add({ ...change, state: "removed", watched: true }, entry);
  } else if (order?.state === "finished" || order?.state === "cancelled") {
    const own = ledger.linesOf(wish.orderNumber).filter((line) => concerns(wish, line));
    const state = finalState(unsettled(change), own);
    // What it replaces was watched still: the platform may have lines that were removed before it began.
    const settled = { picked: pickedInLineUnit(own), watched: replaced.length > 0, isTold: true };
    table.add({ ...change, state, ...settled }, entry);
  } else {
    table.add({ ...change, state: "pending", watched: true }, entry);
  }
}

const unsettled = (change: Omit<NewChange, "state" | "watched">): Change => ({
  ...change,
  id: 0,
  entryId: "",
  state: "pending",
  watched: 1,
  offered: 0,
  firstOfferedStep: null,
  settledStep: null,
});

/** A line named by its external id gets its item and lot too: a platform may not send the external id back. */
function withNames(wish: Wish, workOrder: WorkOrder | undefined): Wish {
  if (wish.externalId === null) return wish;
  const line = workOrder?.requests.find((request) => namesOf(request).externalId === wish.externalId);
  return line === undefined ? wish : { ...wish, ...namesOf(line) };
}

/** Whether no less is wanted than is wanted already. */
function isMet(wish: Wish, order: StoredOrder | undefined, watched: readonly Change[]): boolean {
  // A cancelled line says nothing about the whole order; a cancelled order says all about each of its lines.
  const covering = watched.filter((older) => isWholeOrder(older) || (!isWholeOrder(wish) && replaces(wish, older)));
  const wanted = covering.map((older) => older.target);
  if (order !== undefined && !isWholeOrder(wish)) {
    const amount = amountIn(order.workOrder, wish);
    if (amount > 0) wanted.push(amount);
  }
  return wanted.some((amount) => wish.target >= amount) || (order?.state === "cancelled" && !order.worked);
}

/** Nobody has begun: the order in the store becomes what is wanted, or is cancelled where nothing of it is. */
function lowerWaiting(orders: OrderStore, { number, workOrder }: StoredOrder, wish: Wish): void {
  const kept = isWholeOrder(wish) ? [] : lowered(workOrder.requests, wish);
  if (kept.length === 0) orders.setState(number, "cancelled");
  else if (kept.some((line, index) => line !== workOrder.requests[index]) || kept.length < workOrder.requests.length) {
    orders.replace(number, { ...workOrder, requests: kept });
  }
}

function lowered(requests: readonly RequestLine[], wish: Wish): RequestLine[] {
  const own = requests.filter((line) => concerns(wish, namesOf(line)));
  const keep = keepAmounts(
    own.map((line) => ({ live: line.requestedAmount, picked: 0 })),
    wish.target,
  );
  const amounts = new Map(own.map((line, index) => [line, keep[index] ?? line.requestedAmount]));
  return requests.flatMap((line) => {
    const amount = amounts.get(line) ?? line.requestedAmount;
    if (amount === line.requestedAmount) return [line];
    return amount <= 0 ? [] : [{ ...line, requestedAmount: amount }];
  });
}
