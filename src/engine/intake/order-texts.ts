import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { bytesInTurns } from "../../kit/json/bytes-in-turns.ts";
import { writtenPieces } from "../../kit/json/write-in-turns.ts";
import { TextArena } from "../../kit/text-arena.ts";
import { ReadyJsonList } from "../../operation/outcome.ts";

/** How valid orders are held until the list is complete. */
export interface Holding<Held> {
  readonly hold: (workOrder: WorkOrder) => Held;
  readonly isSame: (one: Held, other: Held) => boolean;
}

/** Holds orders as objects, for lists that are short or in memory anyway. */
export const asObjects: Holding<WorkOrder> = {
  hold: (workOrder) => workOrder,
  isSame: (one, other) => JSON.stringify(one) === JSON.stringify(other),
};

/** A checked order as it is served, and the codes by which it is found. */
export class OrderText {
  readonly number: string;
  readonly alternativeStartNumber: string | null | undefined;
  readonly externalIdentifier: string | null | undefined;
  readonly deliveryNumber: string | null | undefined;
  readonly #texts: TextArena;
  readonly #index: number;

  constructor(workOrder: WorkOrder, texts: TextArena, index: number) {
    this.number = workOrder.number;
    this.alternativeStartNumber = workOrder.alternativeStartNumber;
    this.externalIdentifier = workOrder.externalIdentifier;
    this.deliveryNumber = workOrder.deliveryNumber;
    this.#texts = texts;
    this.#index = index;
  }

  get text(): string {
    return this.#texts.at(this.#index);
  }

  /** The length of the text in bytes. */
  get length(): number {
    return this.#texts.lengthAt(this.#index);
  }

  /** The text in UTF-8. */
  get bytes(): Uint8Array {
    return this.#texts.bytesAt(this.#index);
  }
}

/** A checked list, ready to be served, whose orders can still be accessed one by one. */
export class OrderTexts extends ReadyJsonList {
  readonly orders: readonly OrderText[];
  constructor(orders: readonly OrderText[], texts: TextArena) {
    // Whole chunks can be served if no order was removed, which is the common case.
    const isWhole = orders.length === texts.length;
    super({ [Symbol.iterator]: () => (isWhole ? texts.pieces() : textsOf(orders)) });
    this.orders = orders;
  }
}

function* textsOf(orders: readonly OrderText[]): Generator<string | Uint8Array> {
  for (const some of ordersOfOneTurn(orders)) {
    const [first] = some;
    yield first !== undefined && some.length === 1 ? first.bytes : some.map(({ text }) => text).join(",");
  }
}

/** So much can be read or written in one turn. */
export const ordersPerTurn = 50;
export const bytesPerTurn = 512 * 1024;

/** Yields the orders in portions that can be read in one turn: a few, and a long one alone. */
export function* ordersOfOneTurn(orders: readonly OrderText[]): Generator<readonly OrderText[]> {
  let some: OrderText[] = [];
  let bytes = 0;
  for (const order of orders) {
    const { length } = order;
    if (some.length === ordersPerTurn || (some.length > 0 && bytes + length > bytesPerTurn)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(order);
    bytes += length;
  }
  if (some.length > 0) yield some;
}

export interface HoldingTexts extends Holding<OrderText> {
  /** For an order of thousands of lines: other work of this thread runs while its text is written. */
  readonly holdInTurns: (workOrder: WorkOrder) => Promise<OrderText>;
  readonly list: (orders: readonly OrderText[]) => OrderTexts;
}

/** Holds the orders of one list as texts, in the order they came. */
export function holdTexts(): HoldingTexts {
  const texts = new TextArena(",");
  return {
    hold: (workOrder) => new OrderText(workOrder, texts, texts.add(JSON.stringify(workOrder))),
    holdInTurns: async (workOrder) => {
      const bytes = await bytesInTurns(writtenPieces(workOrder) ?? [JSON.stringify(workOrder)]);
      return new OrderText(workOrder, texts, texts.addBytes(bytes));
    },
    isSame: (one, other) => Buffer.compare(one.bytes, other.bytes) === 0,
    list: (orders) => new OrderTexts(orders, texts),
  };
}

const maxLength = 60;

/** A number shortened for display: an ERP may send kilobytes for one. */
export const shownNumber = (number: string): string =>
  number.length > maxLength ? `${number.slice(0, maxLength)}…` : number;
