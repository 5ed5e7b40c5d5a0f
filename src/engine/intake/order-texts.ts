import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { TextArena } from "../../kit/text-arena.ts";
import { ReadyJsonList } from "../../operation/outcome.ts";
import type { Holding } from "../quarantine/order-sieve.ts";

/** A checked order as it is written, and the codes by which it is found again. */
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

  /** In characters, near enough. */
  readonly length: number;

  get text(): string {
    return this.#texts.at(this.#index);
  }
}

/** A checked list, ready to be written, of which the orders are still known one by one. */
export class OrderTexts extends ReadyJsonList {
  readonly orders: readonly OrderText[];
  constructor(orders: readonly OrderText[], texts: TextArena) {
    // In whole chunks where all that was held is served: orders that were taken out again are rare.
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

/** Holds the orders of one list as texts; what it holds is the list, in the order it came. */
export function holdTexts(): Holding<OrderText> & { readonly list: (orders: readonly OrderText[]) => OrderTexts } {
  const texts = new TextArena(",");
  return {
    hold: (workOrder) => new OrderText(workOrder, texts),
    isSame: ({ text }, workOrder) => text === JSON.stringify(workOrder),
    list: (orders) => new OrderTexts(orders, texts),
  };
}

const maxLength = 60;

/** A number as a person gets to see it: an ERP may give kilobytes for one. */
export const shownNumber = (number: string): string =>
  number.length > maxLength ? `${number.slice(0, maxLength)}…` : number;
