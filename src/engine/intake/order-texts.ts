import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { TextArena } from "../../kit/text-arena.ts";
import { ReadyJsonList } from "../../operation/outcome.ts";

/** How valid orders are held until the list is complete. */
export interface Holding<Held> {
  readonly hold: (workOrder: WorkOrder) => Held;
  readonly isSame: (held: Held, workOrder: WorkOrder) => boolean;
}

/** Holds orders as objects, for lists that are short or in memory anyway. */
export const asObjects: Holding<WorkOrder> = {
  hold: (workOrder) => workOrder,
  isSame: (held, workOrder) => JSON.stringify(held) === JSON.stringify(workOrder),
};

/** A checked order as it is served, and the codes by which it is found. */
export class OrderText {
  readonly number: string;
  readonly alternativeStartNumber: string | null | undefined;
  readonly externalIdentifier: string | null | undefined;
  readonly deliveryNumber: string | null | undefined;
  readonly #texts: TextArena;
  readonly #index: number;

  constructor(workOrder: WorkOrder, texts: TextArena) {
    this.number = workOrder.number;
    this.alternativeStartNumber = workOrder.alternativeStartNumber;
    this.externalIdentifier = workOrder.externalIdentifier;
    this.deliveryNumber = workOrder.deliveryNumber;
    this.#texts = texts;
    const text = JSON.stringify(workOrder);
    this.length = text.length;
    this.#index = texts.add(text);
  }

  /** Approximate length in characters. */
  readonly length: number;

  get text(): string {
    return this.#texts.at(this.#index);
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

const ordersPerPiece = 50;

function* textsOf(orders: readonly OrderText[]): Generator<string> {
  for (let at = 0; at < orders.length; at += ordersPerPiece) {
    yield orders
      .slice(at, at + ordersPerPiece)
      .map(({ text }) => text)
      .join(",");
  }
}

/** Holds the orders of one list as texts, in the order they came. */
export function holdTexts(): Holding<OrderText> & { readonly list: (orders: readonly OrderText[]) => OrderTexts } {
  const texts = new TextArena(",");
  return {
    hold: (workOrder) => new OrderText(workOrder, texts),
    isSame: ({ text }, workOrder) => text === JSON.stringify(workOrder),
    list: (orders) => new OrderTexts(orders, texts),
  };
}

const maxLength = 60;

/** A number shortened for display: an ERP may send kilobytes for one. */
export const shownNumber = (number: string): string =>
  number.length > maxLength ? `${number.slice(0, maxLength)}…` : number;
