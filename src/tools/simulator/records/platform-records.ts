import { type EventId, type OperationId, operationIds, operationRow } from "../../../contract/operations.ts";
import type { PickingSummary } from "../../../contract/schemas/confirm-step.ts";

/** What the platform has successfully reported about one order. */
export interface OrderRecord {
  readonly number: string;
  /** Confirmed amounts by item and location. */
  readonly placed: Map<string, number>;
  /** Picked amounts by item, lot and location, in the unit of the order's lines. */
  readonly taken: Map<string, number>;
  /** Placed pieces that may be missing for a reason that no adapter can avoid. */
  readonly doubtful: Map<string, { amount: number; pieces: number }>;
  /** How often each event was reported with success. */
  readonly events: Map<EventId, number>;
  readonly requested: Map<string, number>;
  readonly cancelled: Map<string, number>;
  /** The location of each container of the order; empty if the container was not moved. */
  readonly containers: Map<string, string>;
  readonly calls: string[];
  droppedCalls: number;
}

/** Goods as external systems tell them apart. */
export interface TakenGoods {
  readonly item: string;
  readonly lot: string | null;
  readonly location: string;
}

/** The platform's own records; only calls that were answered with success change them. */
export interface PlatformRecords {
  readonly orders: ReadonlyMap<string, OrderRecord>;
  readonly of: (order: string) => OrderRecord;
  readonly event: (order: string, id: EventId) => void;
  readonly place: (order: string, item: string, location: string, amount: number) => void;
  /** A pick in the unit of its line, for external systems that keep books by lot and location. */
  readonly take: (order: string, goods: TakenGoods, amount: number) => void;
  /** Counts one of two identical placements between which the connection broke. */
  readonly doubt: (order: string, item: string, location: string, amount: number) => void;
  readonly noteCall: (orders: readonly string[], text: string) => void;
}

const mostCalls = 60;
/** A call about more orders than this is not kept in the history of each of them. */
const mostOrdersOfACall = 20;

export const placeKey = (item: string, location: string): string => JSON.stringify([item, location]);
export const readPlaceKey = (key: string): readonly [item: string, location: string] =>
  // Only `placeKey` writes these keys.
  JSON.parse(key) as [string, string];

const goodsKey = ({ item, lot, location }: TakenGoods): string => JSON.stringify([item, lot, location]);
export function readGoodsKey(key: string): TakenGoods {
  // Only `goodsKey` writes these keys.
  const [item, lot, location] = JSON.parse(key) as [string, string | null, string];
  return { item, lot, location };
}

export const add = <Key>(amounts: Map<Key, number>, key: Key, amount: number): void =>
  void amounts.set(key, (amounts.get(key) ?? 0) + amount);

export function openPlatformRecords(): PlatformRecords {
  const orders = new Map<string, OrderRecord>();
  const of = (number: string): OrderRecord => {
    let book = orders.get(number);
    if (book === undefined) {
      book = {
        number,
        placed: new Map(),
        taken: new Map(),
        doubtful: new Map(),
        events: new Map(),
        requested: new Map(),
        cancelled: new Map(),
        containers: new Map(),
        calls: [],
        droppedCalls: 0,
      };
      orders.set(number, book);
    }
    return book;
  };
  return {
    orders,
    of,
    event: (order, id) => add(of(order).events, id, 1),
    place: (order, item, location, amount) => {
      if (amount > 0) add(of(order).placed, placeKey(item, location), amount);
    },
    take: (order, goods, amount) => {
      if (amount > 0) add(of(order).taken, goodsKey(goods), amount);
    },
    doubt: (order, item, location, amount) => {
      const { doubtful } = of(order);
      const before = doubtful.get(placeKey(item, location)) ?? { amount: 0, pieces: 0 };
      doubtful.set(placeKey(item, location), { amount: before.amount + amount, pieces: before.pieces + 1 });
    },
    noteCall: (numbers, text) => {
      if (numbers.length > mostOrdersOfACall) return;
      for (const number of numbers) {
        const book = of(number);
        if (book.calls.length < mostCalls) book.calls.push(text);
        else book.droppedCalls++;
      }
    },
  };
}

/** A line of the adapter's journal export; other members are not read. */
export interface JournalLine {
  readonly seq: number;
  readonly direction: string;
  readonly topic: string;
  readonly orders: readonly string[];
  readonly answer: { readonly isSuccess: boolean } | null;
  readonly body: string;
  readonly state: string;
}

/** What the adapter's journal contains about one order. */
export interface JournalRecord {
  readonly events: Map<EventId, number>;
  readonly placed: Map<string, number>;
  readonly seqs: number[];
}

interface EventBody {
  readonly itemNumber?: string | null;
  readonly completedAmount?: number | null;
  readonly confirmedLocationName?: string | null;
  readonly amountToConfirmPickingSummary?: PickingSummary | null;
  readonly amountToConfirmSummary?: PickingSummary | null;
}

const events: ReadonlySet<string> = new Set(operationIds.filter((id) => operationRow(id).kind === "event"));
const isEvent = (topic: string): topic is EventId & OperationId => events.has(topic);

/** Adds a line of the journal to the records of its orders, if it is an accepted event. */
export function bookLine(
  records: Map<string, JournalRecord>,
  line: JournalLine,
  isOurs: (order: string) => boolean,
): void {
  if (line.direction !== "out" || !isEvent(line.topic) || !wasTaken(line)) return;
  for (const order of new Set(line.orders)) {
    if (!isOurs(order)) continue;
    let book = records.get(order);
    if (book === undefined) {
      book = { events: new Map(), placed: new Map(), seqs: [] };
      records.set(order, book);
    }
    add(book.events, line.topic, 1);
    book.seqs.push(line.seq);
    for (const [key, amount] of placedBy(line)) add(book.placed, key, amount);
  }
}

/** If the external system confirmed while the platform waited, its answer was passed on, and the journal keeps none. */
export const wasTaken = ({ answer, state }: JournalLine) =>
  answer === null ? state === "delivered" : answer.isSuccess;

/** Placing steps are left out: their location is not in the event but in the order. */
function placedBy({ topic, body }: JournalLine): [string, number][] {
  // Written by this program, so the form is known.
  const event = JSON.parse(body) as EventBody;
  const item = event.itemNumber ?? "";
  if (topic === "confirmPutWallPlacement") {
    return [[placeKey(item, event.confirmedLocationName ?? ""), event.completedAmount ?? 0]];
  }
  const summary = event.amountToConfirmPickingSummary ?? event.amountToConfirmSummary;
  return (summary?.containersBreakdown ?? []).map((share) => [
    placeKey(item, summary?.locationName ?? ""),
    share.amountToConfirmInBaseUnitOfMeasure ?? 0,
  ]);
}
