import { setImmediate as nextTurn } from "node:timers/promises";
import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import { unitName } from "../../../store/order-finder.ts";
import { isoTime } from "../entries/entry-view.ts";
import type { OrderPage, OrderView } from "./order-view.ts";
import type { OrderDetail, OrderLine, OrderQuery } from "./search-orders.ts";

/** An order as an external system served it last. */
export interface LastKnownOrder {
  readonly system: string;
  /** When it was served, in milliseconds since 1970. */
  readonly at: number;
  readonly order: WorkOrder;
}

/** Null if no external system has served an order with this number, or the answer is no longer kept. */
export type FindLastKnown = (number: string) => Promise<LastKnownOrder | null>;

/**
 * Completes an order that another system holds with what that system said last. The floor reports only the lines it
 * works on, and at the put wall not even how much is wanted.
 */
export function withLastKnown(found: OrderDetail | null, known: LastKnownOrder | null): OrderDetail | null {
  if (known === null || (found !== null && found.state !== null)) return found;
  const { system, at, order } = known;
  const detail = found ?? nothingYet(order.number);
  const wantedOf = wantedAmounts(order.requests);
  const reported = detail.orderLines.map((line) => {
    const amount = line.requested === null ? wantedOf(line) : null;
    return amount === null ? line : { ...line, requested: amount, isLastKnown: true };
  });
  const isReported = reportedRequests(reported);
  const untouched = order.requests.filter((request) => !isReported(request));
  const orderLines = [...reported, ...untouched.map(lineOf)];
  if (!orderLines.some(({ isLastKnown }) => isLastKnown)) return found;
  const requested = orderLines.map((line) => line.requested);
  return {
    ...{ ...detail, orderLines, lines: orderLines.length },
    externalIdentifier: detail.externalIdentifier ?? order.externalIdentifier ?? null,
    dueAt: detail.dueAt ?? order.dueDate,
    requested: requested.includes(null) ? null : requested.reduce((sum: number, one) => sum + (one ?? 0), 0),
    lastKnown: { system, at: isoTime(at) },
  };
}

/** Completes the orders of a page, and finds one that nothing but the answer of an external system names. */
export async function pageWithLastKnown(
  page: OrderPage,
  { text, state, limit }: OrderQuery,
  find: FindLastKnown,
): Promise<OrderPage> {
  const orders: OrderView[] = [];
  for (const view of page.orders) {
    const isOpen = view.state === null && (view.requested === null || view.lines === 0);
    // Read one per turn: an order may have thousands of lines.
    if (isOpen) await nextTurn();
    orders.push(isOpen ? viewWithLastKnown(view, await find(view.number)) : view);
  }
  if (text === undefined || state !== undefined || orders.length >= limit) return { ...page, orders };
  const known = orders.some(({ number }) => number === text) ? null : await find(text);
  return { ...page, orders: known === null ? orders : [viewWithLastKnown(nothingYet(text), known), ...orders] };
}

/** In a list, only the sum counts. */
function viewWithLastKnown(view: OrderView, known: LastKnownOrder | null): OrderView {
  if (known === null) return view;
  const { system, at, order } = known;
  const units = new Set(order.requests.map(({ unitOfMeasure }) => unitOfMeasure ?? 0));
  return {
    ...view,
    externalIdentifier: view.externalIdentifier ?? order.externalIdentifier ?? null,
    ...{ dueAt: view.dueAt ?? order.dueDate, lines: order.requests.length },
    // Pieces and boxes have no sum that could be compared with what was picked.
    requested: units.size > 1 ? null : order.requests.reduce((sum, one) => sum + one.requestedAmount, 0),
    lastKnown: { system, at: isoTime(at) },
  };
}

/**
 * A line is known by its own name or, where one side does not say that, by its item and lot; a missing lot may be any.
 * Found by these, because both sides may have ten thousand lines.
 */
const lotKey = (itemNumber: string, lot: string | null) => JSON.stringify([itemNumber, lot]);

interface Wanted {
  readonly amount: number;
  readonly units: ReadonlySet<string>;
}

const sumOf = (requests: readonly RequestLine[]): Wanted => ({
  amount: requests.reduce((sum, one) => sum + one.requestedAmount, 0),
  units: new Set(requests.map(({ unitOfMeasure }) => unitName(unitOfMeasure ?? 0))),
});

function sums(requests: readonly RequestLine[], keyOf: (request: RequestLine) => string): ReadonlyMap<string, Wanted> {
  return new Map([...Map.groupBy(requests, keyOf)].map(([key, group]) => [key, sumOf(group)]));
}

/** How much of a line is wanted; null if it is not certain which line is meant, or in which unit. */
function wantedAmounts(requests: readonly RequestLine[]): (line: OrderLine) => number | null {
  const named = sums(
    requests.filter((one) => one.requestExternalIdentifier),
    (one) => one.requestExternalIdentifier ?? "",
  );
  const byItemAndLot = (some: readonly RequestLine[]) => ({
    items: sums(some, ({ itemNumber }) => itemNumber),
    lots: sums(some, ({ itemNumber, lotNumber }) => lotKey(itemNumber, lotNumber || null)),
  });
  const [all, unnamed] = [requests, requests.filter((one) => !one.requestExternalIdentifier)].map(byItemAndLot);
  return ({ line, itemNumber, lot, unit }) => {
    const group = line === null ? all : unnamed;
    const same = [
      line === null ? undefined : named.get(line),
      ...(lot === null
        ? [group?.items.get(itemNumber)]
        : [group?.lots.get(lotKey(itemNumber, lot)), group?.lots.get(lotKey(itemNumber, null))]),
    ].filter((one) => one !== undefined);
    const isInUnit = same.every(({ units }) => units.size === 1 && units.has(unit));
    return same.length > 0 && isInUnit ? same.reduce((sum, { amount }) => sum + amount, 0) : null;
  };
}

/** Tells whether one of the lines is this request. */
function reportedRequests(lines: readonly OrderLine[]): (request: RequestLine) => boolean {
  const names = new Set(lines.map(({ line }) => line));
  const byItemAndLot = (some: readonly OrderLine[]) => ({
    items: new Set(some.map(({ itemNumber }) => itemNumber)),
    lots: new Set(some.map(({ itemNumber, lot }) => lotKey(itemNumber, lot))),
  });
  const [all, unnamed] = [lines, lines.filter(({ line }) => line === null)].map(byItemAndLot);
  return ({ requestExternalIdentifier: name, itemNumber, lotNumber }) => {
    if (name && names.has(name)) return true;
    const group = name ? unnamed : all;
    if (!lotNumber) return group?.items.has(itemNumber) === true;
    return [lotNumber, null].some((lot) => group?.lots.has(lotKey(itemNumber, lot)));
  };
}

const lineOf = (request: RequestLine): OrderLine => ({
  ...{
    line: request.requestExternalIdentifier ?? null,
    itemNumber: request.itemNumber,
    lot: request.lotNumber ?? null,
  },
  ...{ unit: unitName(request.unitOfMeasure ?? 0), requested: request.requestedAmount },
  ...{ picked: 0, cancelled: 0, overPicked: 0, location: request.designatedLocationName ?? null, isLastKnown: true },
});

const nothingYet = (number: string): OrderDetail => ({
  ...{
    number,
    externalIdentifier: null,
    state: null,
    dueAt: null,
    receivedAt: null,
    lines: 0,
    requested: 0,
    picked: 0,
  },
  ...{ cancelled: 0, undelivered: null, lastKnown: null, orderLines: [], containers: [], changes: [] },
});
