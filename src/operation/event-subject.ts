import type { RequestLine, WorkOrder } from "../contract/schemas/work-order.ts";

/** The order that an event is about, as the adapter knows it. */
export interface OrderView extends WorkOrder {
  /** The order's external data as an object; absent if it is not a JSON object. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The line that an event is about, and its amounts in both units. An amount is absent if it is not known exactly: the
 * contract does not define the platform's base unit, so it is never guessed.
 */
export interface LineView extends Partial<RequestLine> {
  /** The line's external data as an object; absent if it is not a JSON object. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The amount that this event confirms. */
  readonly confirmedAmount?: number;
  readonly confirmedAmountInBaseUnitOfMeasure?: number;
  /** The amount of the line that is confirmed by now. If events wait, this includes later ones. */
  readonly pickedAmount?: number;
  readonly pickedAmountInBaseUnitOfMeasure?: number;
  /** The amount that the platform requests. `requestedAmount` is the same in the line's own unit, as in the order. */
  readonly requestedAmountInBaseUnitOfMeasure?: number;
}

/** What the adapter knows about the subject of an event. */
export interface EventSubject {
  readonly order: OrderView | null;
  readonly line: LineView | null;
}

export const noSubject: EventSubject = { order: null, line: null };

/** Looks up the order and the line of an event, or of one element of it. An order of thousands of lines takes a while. */
export type FindSubject = (input: unknown) => Promise<EventSubject>;

/**
 * Throws if the delivery was given up during the look-up: another attempt may be under way, or a later event of the
 * order, and not every connector looks at the signal before it sends.
 */
export const unlessGivenUp =
  (find: FindSubject, delivery: { readonly signal: AbortSignal }): FindSubject =>
  async (input) => {
    const subject = await find(input);
    delivery.signal.throwIfAborted();
    return subject;
  };

/**
 * Whether the options mention the order or the line. It is looked up only then, because most events need nothing but
 * themselves.
 */
export const refersToSubject = (options: unknown): boolean => /\b(order|line)\b/i.test(JSON.stringify(options) ?? "");

/** Returns the event with its order and line. */
export const withSubject = (event: unknown, { order, line }: EventSubject): unknown =>
  withNames(event, { order, line });

/** Returns the event with more names. They are not enumerable, so they do not count as its own members. */
export function withNames(event: unknown, names: Readonly<Record<string, unknown>>): unknown {
  if (typeof event !== "object" || event === null || Array.isArray(event)) return event;
  const hidden = Object.entries(names).map(([name, value]) => [name, { value, enumerable: false }] as const);
  return Object.defineProperties({ ...event }, Object.fromEntries(hidden));
}
