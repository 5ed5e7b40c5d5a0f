import type { RequestLine, WorkOrder } from "../contract/schemas/work-order.ts";

/** The order that an event is about, as the adapter knows it. */
export interface OrderView extends WorkOrder {
  /** The order's external data as an object; absent if it is not a JSON object. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The line that an event is about, and its amounts in both units. An amount is absent if it is not known exactly: the
 * platform's base unit is nowhere defined, so it is never guessed.
 */
export interface LineView extends Partial<RequestLine> {
  /** The line's external data as an object; absent if it is not a JSON object. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** What this event confirms. */
  readonly confirmedAmount?: number;
  readonly confirmedAmountInBaseUnitOfMeasure?: number;
  /** What is confirmed of the line by now; when events wait, that includes later ones. */
  readonly pickedAmount?: number;
  readonly pickedAmountInBaseUnitOfMeasure?: number;
  /** What the platform requests; `requestedAmount` is the same in the line's own unit, as the order has it. */
  readonly requestedAmountInBaseUnitOfMeasure?: number;
}

/** What the adapter knows about the subject of an event. */
export interface EventBooks {
  readonly order: OrderView | null;
  readonly line: LineView | null;
}

export const noBooks: EventBooks = { order: null, line: null };

/** Looks up the order and the line of an event, or of one element of it. */
export type ReadBooks = (input: unknown) => EventBooks;

/** The order is looked up only if some text of the options mentions it: most events need nothing but themselves. */
export const readsBooks = (options: unknown): boolean => /\b(order|line)\b/i.test(JSON.stringify(options) ?? "");

/** The event with its order and line, which are not counted among its own members. */
export function withBooks(event: unknown, { order, line }: EventBooks): unknown {
  if (typeof event !== "object" || event === null || Array.isArray(event)) return event;
  const hidden = (value: unknown) => ({ value, enumerable: false });
  return Object.defineProperties({ ...event }, { order: hidden(order), line: hidden(line) });
}
