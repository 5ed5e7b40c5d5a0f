import {
  type Booking,
  type ErpCancellation,
  type ErpItem,
  type ErpOrder,
  type GivenRecords,
  isClosed,
  lineOf,
  makeItems,
  orderMaker,
  type RecordsRequest,
  stateAfter,
} from "./erp-records.ts";

export interface Refusal {
  readonly code: "NOT_FOUND" | "TOTE_IN_USE" | "BAD_EVENT";
  readonly message: string;
}

export interface BookedEvent {
  readonly id: string;
  readonly topic: string;
  readonly at: string;
  readonly bookings: readonly Booking[];
}

/** The state of the ERP. All its interfaces use it, so they all show the same data. */
export interface ErpState {
  readonly items: ReadonlyMap<string, ErpItem>;
  readonly orders: ReadonlyMap<string, ErpOrder>;
  readonly cancellations: readonly ErpCancellation[];
  readonly events: readonly BookedEvent[];
  readonly eventCount: () => number;
  /** Number of repeated events, which were not processed again. */
  readonly repeatCount: () => number;
  /** Returns null if the event is processed, now or before. */
  readonly book: (event: Omit<BookedEvent, "at">) => Refusal | null;
  readonly cancel: (order: string, line: number | null, reason: string) => Refusal | null;
  readonly addOrder: () => ErpOrder;
  /** Replaces the order with the same number, if there is one. */
  readonly putOrder: (order: Omit<ErpOrder, "changedAt">) => ErpOrder;
  /** Registers a listener for changes, for interfaces that keep copies of the data. */
  readonly onChange: (listener: (change: ErpChange) => void) => void;
}
export type ErpChange =
  | { readonly order: ErpOrder; readonly isNew: boolean }
  | { readonly item: ErpItem }
  | { readonly cancellation: ErpCancellation };

const mostEvents = 100_000;
const mostCancellations = 10_000;
const mostOrders = 200_000;

export interface ErpStateNeeds extends RecordsRequest {
  readonly orders: number;
  /** The user's own records; null generates random ones. */
  readonly given: GivenRecords | null;
  readonly now: () => number;
}

export function openErpState(needs: ErpStateNeeds): ErpState {
  const items = new Map((needs.given?.items ?? makeItems(needs)).map((item) => [item.number, item]));
  const makeOrder = orderMaker(needs, [...items.values()]);
  const orders = new Map<string, ErpOrder>();
  const totes = new Map<string, string>();
  const cancellations: ErpCancellation[] = [];
  const events: BookedEvent[] = [];
  const known = new Set<string>();
  const listeners: ((change: ErpChange) => void)[] = [];
  let [eventCount, repeatCount] = [0, 0];
  const notify = (change: ErpChange) => {
    for (const listener of listeners) listener(change);
  };
  const at = () => new Date(needs.now()).toISOString();
  const newOrder = () => {
    let order = makeOrder();
    // A given order may have the number that is generated next.
    while (orders.has(order.number)) order = makeOrder();
    return order;
  };
  const drawn = Array.from({ length: needs.given === null ? needs.orders : 0 }, makeOrder);
  const opening = needs.given?.orders.map((order) => ({ ...order, changedAt: needs.today.toISOString() })) ?? drawn;
  for (const order of opening) orders.set(order.number, order);

  const refusalOf = ({ what, order, tote }: Booking): Refusal | null => {
    if (what === "note" || what === "move") return null;
    if (!orders.has(order)) return { code: "NOT_FOUND", message: `There is no order ${order}. Ask the office.` };
    const holder = tote === null ? order : (totes.get(tote) ?? order);
    if (what !== "attach" || holder === order) return null;
    return { code: "TOTE_IN_USE", message: `${tote} is used by order ${holder}. Take another one.` };
  };

  const apply = (booking: Booking): void => {
    const order = orders.get(booking.order);
    if (order === undefined) return;
    const line = lineOf(order, booking);
    const item = items.get(line?.item ?? booking.item ?? "");
    const qty = booking.qty ?? 0;
    if (booking.what === "pick" || booking.what === "put away") {
      if (line !== undefined) line.picked += qty;
      if (item !== undefined) {
        item.stock += booking.what === "pick" ? -qty : qty;
        notify({ item });
      }
    }
    if (booking.what === "cancel" && line !== undefined) line.isCancelled = true;
    if (booking.what === "attach" && booking.tote !== null) totes.set(booking.tote, order.number);
    if (booking.what === "release" && booking.tote !== null) totes.delete(booking.tote);
    order.state = stateAfter(order, booking);
    order.changedAt = at();
    if (isClosed(order)) {
      for (const [tote, holder] of totes) if (holder === order.number) totes.delete(tote);
    }
    notify({ order, isNew: false });
  };

  const put = (given: Omit<ErpOrder, "changedAt">): ErpOrder => {
    const order = { ...given, changedAt: at() };
    orders.set(order.number, order);
    if (orders.size > mostOrders) orders.delete(orders.keys().next().value ?? "");
    notify({ order, isNew: true });
    return order;
  };

  return {
    ...{ items, orders, cancellations, events },
    ...{ eventCount: () => eventCount, repeatCount: () => repeatCount },
    book: ({ id, topic, bookings }) => {
      if (known.has(id)) {
        repeatCount++;
        return null;
      }
      const refusal = bookings.map(refusalOf).find((one) => one !== null);
      if (refusal !== undefined) return refusal;
      for (const booking of bookings) apply(booking);
      known.add(id);
      eventCount++;
      events.push({ id, topic, at: at(), bookings });
      if (events.length > mostEvents) {
        // Removes the oldest tenth at once: removing single ones would move the whole list each time.
        for (const { id: old } of events.splice(0, mostEvents / 10)) known.delete(old);
      }
      return null;
    },
    cancel: (number, lineNumber, reason) => {
      const order = orders.get(number);
      const lines = order?.lines.filter(({ line }) => lineNumber === null || line === lineNumber) ?? [];
      if (order === undefined || lines.length === 0) {
        return { code: "NOT_FOUND", message: `There is no line ${lineNumber ?? ""} of order ${number}.` };
      }
      for (const line of lines) line.isCancelled = true;
      order.state = stateAfter(order, { what: "cancel" });
      order.changedAt = at();
      const cancellation = { order: number, line: lineNumber, reason, changedAt: order.changedAt };
      cancellations.push(cancellation);
      if (cancellations.length > mostCancellations) cancellations.shift();
      notify({ order, isNew: false });
      notify({ cancellation });
      return null;
    },
    addOrder: () => put(newOrder()),
    putOrder: put,
    onChange: (listener) => void listeners.push(listener),
  };
}
