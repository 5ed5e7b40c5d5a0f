import { setImmediate as nextTurn } from "node:timers/promises";
import type { JournalReader } from "../../../journal/journal.ts";
import { foldedCode, lanesOfContainer, lanesOfOrder, orderOfLane } from "../../../operation/lane.ts";
import type { StoredContainer, StoredLine, StoredOrder } from "../../../store/order-finder.ts";
import type { EntryQuery } from "../entries/entry-query.ts";
import { isoTime, ordersInContainer, ordersOf } from "../entries/entry-view.ts";
import { scanEntries } from "../entries/export-entries.ts";
import type { OrderRecords } from "../order-records.ts";
import type { ChangeRecord } from "../timeline-event.ts";
import type { OrderPage, OrderState, OrderView } from "./order-view.ts";

export interface OrderLine extends StoredLine {
  /** Whether the requested amount is only what an external system said last. */
  readonly isLastKnown: boolean;
}

export interface OrderDetail extends OrderView {
  readonly orderLines: readonly OrderLine[];
  readonly containers: readonly StoredContainer[];
  readonly changes: readonly {
    readonly line: string | null;
    readonly target: number;
    readonly reason: string | null;
    readonly state: string;
    readonly offered: number;
    readonly filedAt: string;
    readonly settledAt: string | null;
  }[];
}

export interface OrderQuery {
  /** Any of: order, external identifier, delivery, container, item, operator. */
  readonly text?: string;
  readonly state?: OrderState;
  readonly limit: number;
  readonly before?: number;
}

export interface OrderNeeds {
  readonly read: Pick<JournalReader, "list" | "entry" | "latestAttempt" | "heldBy" | "lanesLike">;
  readonly orderRecords: Pick<OrderRecords, "orders" | "changesOf">;
}

/** A search in the journal stops after this many entries, so that every request is bounded. */
const mostScanned = 5_000;
/** The bodies of entries are searched for a shorter text only if it matched nothing else. */
const leastSearched = 3;
/** How many of the newest entries of a lane are looked at. */
const mostListed = 200;
/** How many orders of any state are looked at in a search for one state. */
const mostSearched = 500;
const unfinished = ["dead", "retry", "accepted", "inflight"] as const;

export async function findOrders(needs: OrderNeeds, query: OrderQuery): Promise<OrderPage> {
  const { read, orderRecords } = needs;
  const { text, state, limit, before } = query;
  if (text === undefined) {
    const page = orderRecords.orders?.list({
      limit,
      ...(before === undefined ? {} : { before }),
      ...(state === undefined ? {} : { state }),
    });
    if (page !== undefined && (page.orders.length > 0 || page.nextBefore !== null)) {
      return { orders: await viewsInTurns(needs, page.orders), nextBefore: page.nextBefore, isCut: false };
    }
    // Another system holds the orders, so the orders that the journal named most recently are shown.
    const recent = state === undefined ? await named(needs, {}, limit + 1) : [];
    return { orders: recent.slice(0, limit), nextBefore: null, isCut: recent.length > limit };
  }
  // Of those found, some may be in another state.
  const searched = state === undefined ? limit + 1 : mostSearched;
  const stored = orderRecords.orders?.search(text, searched) ?? [];
  const found = new Map((await viewsInTurns(needs, stored)).map((view) => [view.number, view]));
  const isExact = ({ number, externalIdentifier }: OrderView) =>
    [number, externalIdentifier ?? ""].some((name) => foldedCode(name) === foldedCode(text));
  const more: (() => Promise<readonly OrderView[]>)[] = [
    async () => {
      const others = [...ordersLike(read, text, limit)].filter((number) => !found.has(number));
      return await viewsOf(needs, new Set(others), limit);
    },
    async () => await viewsOf(needs, ordersOn(read, text), limit),
    // A container that was never attached or moved is only in the bodies of steps, as are items and operators.
    async () => await named(needs, { name: text }, limit),
  ];
  for (const [place, look] of more.entries()) {
    // The last one reads thousands of bodies: not for a name that was found, or of which only the beginning is typed.
    const isEnough = place === more.length - 1 && (text.length < leastSearched || [...found.values()].some(isExact));
    if (found.size >= limit || (found.size > 0 && isEnough)) break;
    for (const view of await look()) if (!found.has(view.number)) found.set(view.number, view);
  }
  const orders = [...found.values()].filter((one) => state === undefined || one.state === state);
  const isCut = orders.length > limit || stored.length === searched;
  return { orders: orders.slice(0, limit), nextBefore: null, isCut };
}

/** Whether there is an entry about the order, which an index finds. */
const isListed = (read: Pick<JournalReader, "list">, number: string): boolean =>
  read.list({ lanes: lanesOfOrder(number), limit: 1, isBrief: true }).length > 0;

/** The orders whose numbers begin like this, as typed, in capitals or in small letters. */
function ordersLike(read: Pick<JournalReader, "lanesLike">, text: string, limit: number): ReadonlySet<string> {
  const spellings = new Set([text, text.toUpperCase(), text.toLowerCase()]);
  const lanes = [...spellings].flatMap(lanesOfOrder).flatMap((beginning) => read.lanesLike(beginning, limit));
  return new Set(lanes.flatMap((lane) => orderOfLane(lane) ?? []));
}

/** The orders that were on a container. An entry that moves a whole cart also names the orders in other containers. */
const ordersOn = (read: Pick<JournalReader, "list" | "entry">, code: string): ReadonlySet<string> =>
  new Set(
    read.list({ lanes: lanesOfContainer(code), limit: mostListed, isBrief: true }).flatMap((entry) => {
      const orders = ordersOf(entry);
      return orders.length > 1 ? ordersInContainer(read.entry(entry.seq) ?? entry, code) : orders;
    }),
  );

/** Returns the orders of the matching journal entries, newest first. */
async function named(needs: OrderNeeds, query: EntryQuery, limit: number): Promise<OrderView[]> {
  const { read } = needs;
  const numbers = new Set<string>();
  let scanned = 0;
  for await (const { matches, scannedCount } of scanEntries(read, query, undefined, { isBrief: true })) {
    for (const match of matches) {
      const orders = ordersOf(match);
      const isOfCart = query.name !== undefined && orders.length > 1;
      for (const number of isOfCart ? ordersInContainer(match, query.name) : orders) numbers.add(number);
    }
    scanned += scannedCount;
    if (numbers.size >= limit || scanned >= mostScanned) break;
  }
  return await viewsOf(needs, numbers, limit);
}

async function viewsOf(needs: OrderNeeds, numbers: ReadonlySet<string>, limit: number): Promise<OrderView[]> {
  const chosen = [...numbers].slice(0, limit);
  const stored = new Map((needs.orderRecords.orders?.byNumbers(chosen) ?? []).map((one) => [one.number, one]));
  return await viewsInTurns(
    needs,
    chosen.map((number) => stored.get(number) ?? number),
  );
}

/** As many as one turn of the event loop can look up within a few milliseconds. */
const turnOrders = 25;

async function viewsInTurns(needs: OrderNeeds, orders: readonly (StoredOrder | string)[]): Promise<OrderView[]> {
  const views: OrderView[] = [];
  for (const order of orders) {
    views.push(orderView(needs, order));
    if (views.length % turnOrders === 0) await nextTurn();
  }
  return views;
}

/** Null if nothing is known of the order. */
export function orderDetail(needs: OrderNeeds, number: string): OrderDetail | null {
  const { read, orderRecords } = needs;
  const [stored] = orderRecords.orders?.byNumbers([number]) ?? [];
  const lines = orderRecords.orders?.lines(number) ?? [];
  const changes = orderRecords.changesOf(number);
  const isNamed = stored !== undefined || lines.length > 0 || changes.length > 0;
  if (!isNamed && !isListed(read, number)) return null;
  return {
    ...orderView(needs, stored ?? number),
    orderLines: lines.map((line) => ({ ...line, isLastKnown: false })),
    containers: orderRecords.orders?.containers(number) ?? [],
    changes: changes.map(changeView),
  };
}

const changeView = (change: ChangeRecord) => ({
  line: change.externalId ?? change.itemNumber,
  target: change.target,
  reason: change.reason,
  state: change.state,
  offered: change.offered,
  filedAt: isoTime(change.filedAt),
  settledAt: change.settledAt === null ? null : isoTime(change.settledAt),
});

function orderView({ read, orderRecords }: OrderNeeds, order: StoredOrder | string): OrderView {
  const number = typeof order === "string" ? order : order.number;
  const [worst] = read
    .list({ lanes: lanesOfOrder(number), states: unfinished, limit: 50, isBrief: true })
    .filter(({ target }) => target !== null)
    .sort((a, b) => Number(b.state === "dead") - Number(a.state === "dead"));
  const undelivered = worst === undefined ? null : worst.state === "dead" ? "dead" : "waiting";
  if (typeof order === "string") {
    // Another system holds the order. What the floor did with it is known here all the same.
    const lines = orderRecords.orders?.lines(number) ?? [];
    const sum = (of: (line: StoredLine) => number) => lines.reduce((total, line) => total + of(line), 0);
    return {
      ...{ number, externalIdentifier: null, state: null, dueAt: null, receivedAt: null, lines: lines.length },
      requested: lines.some(({ requested }) => requested === null) ? null : sum(({ requested }) => requested ?? 0),
      picked: sum(({ picked }) => picked),
      ...{ cancelled: sum(({ cancelled }) => cancelled), undelivered, lastKnown: null },
    };
  }
  const { id: _id, dueAt, receivedAt, ...rest } = order;
  return { ...rest, dueAt: isoTime(dueAt), receivedAt: isoTime(receivedAt), undelivered, lastKnown: null };
}
