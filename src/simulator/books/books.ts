import type { TellId } from "../../contract/operations.ts";

/** What the platform knows to have told about one order. */
export interface OrderBook {
  readonly number: string;
  /** By item and location: what was confirmed there. */
  readonly placed: Map<string, number>;
  /** The same for pieces that may be missing for a reason no adapter can help. */
  readonly doubtful: Map<string, { amount: number; pieces: number }>;
  /** How often each event was told with success. */
  readonly told: Map<TellId, number>;
  readonly requested: Map<string, number>;
  readonly cancelled: Map<string, number>;
  /** Where each of its containers stands; empty where it was not moved. */
  readonly containers: Map<string, string>;
  readonly calls: string[];
  droppedCalls: number;
}

/** The platform's own books, filled by nothing but the calls that were answered with success. */
export interface Books {
  readonly orders: ReadonlyMap<string, OrderBook>;
  readonly of: (order: string) => OrderBook;
  readonly tell: (order: string, id: TellId) => void;
  readonly place: (order: string, item: string, location: string, amount: number) => void;
  /** One of two equal placements, between which the connection broke. */
  readonly doubt: (order: string, item: string, location: string, amount: number) => void;
  readonly noteCall: (orders: readonly string[], text: string) => void;
}

const mostCalls = 60;
/** A list of thousands of orders says nothing about each of them. */
const mostOrdersOfACall = 20;

export const placeKey = (item: string, location: string): string => JSON.stringify([item, location]);
export const readPlaceKey = (key: string): readonly [item: string, location: string] =>
  // Written by placeKey and by nobody else.
  JSON.parse(key) as [string, string];

export const add = <Key>(amounts: Map<Key, number>, key: Key, amount: number): void =>
  void amounts.set(key, (amounts.get(key) ?? 0) + amount);

export function openBooks(): Books {
  const orders = new Map<string, OrderBook>();
  const of = (number: string): OrderBook => {
    let book = orders.get(number);
    if (book === undefined) {
      book = {
        number,
        placed: new Map(),
        doubtful: new Map(),
        told: new Map(),
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
    tell: (order, id) => add(of(order).told, id, 1),
    place: (order, item, location, amount) => {
      if (amount > 0) add(of(order).placed, placeKey(item, location), amount);
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
