import type { JournalReader } from "../../journal/journal.ts";
import type { OwnLine, OwnWork } from "../../store/changes/read-own-work.ts";
import { roundAmount } from "../../store/ledger/ledger-line.ts";
import { filled } from "../../store/ledger/line-ref.ts";
import { hasNewsSince } from "../fallback/reported-work.ts";

/** Adds to an order that was read what the adapter has booked for it; `later` if that amount is not certain yet. */
export type OwnBookings = (order: unknown, readAt: number) => unknown;

export const later: unique symbol = Symbol("it cannot be said yet");

/**
 * For systems whose lines show what is left to do. A poll returns our own bookings as smaller amounts, which would
 * count as reductions. So the picked amount is added again, and only a change by somebody else makes a difference.
 */
export function ownBookings(
  workOf: (orderNumber: string) => OwnWork | null,
  journal: Pick<JournalReader, "list">,
): OwnBookings {
  return (order, readAt) => {
    if (!isOrder(order)) return order;
    const work = workOf(order.number);
    if (work === null) return order;
    // An event in delivery, or one that arrived after the order was read, may or may not be part of its amounts.
    const isOpen = work.orders.some((number) => hasNewsSince(journal, number, readAt));
    if (isOpen || work.lines.some(({ picked }) => picked === null)) return later;
    return { ...order, requests: withPicked(order.requests, work.lines) };
  };
}

interface Line {
  readonly requestExternalIdentifier?: unknown;
  readonly itemNumber?: unknown;
  readonly lotNumber?: unknown;
  readonly requestedAmount?: unknown;
}
interface Order {
  readonly number: string;
  readonly requests: readonly Line[];
}

function isOrder(value: unknown): value is Order {
  if (typeof value !== "object" || value === null) return false;
  return "number" in value && typeof value.number === "string" && "requests" in value && Array.isArray(value.requests);
}

function withPicked(lines: readonly Line[], own: readonly OwnLine[]): readonly unknown[] {
  const left = new Set(own);
  const grown = lines.map((line) => {
    const { requestedAmount } = line;
    const mine = own.find((one) => left.has(one) && isSame(one, line));
    if (mine === undefined || typeof requestedAmount !== "number") return line;
    left.delete(mine);
    return { ...line, requestedAmount: roundAmount(requestedAmount + (mine.picked ?? 0)) };
  });
  // A finished line is often no longer listed. Then the amount wanted is the amount picked.
  const done = [...left].flatMap(({ request, picked }) =>
    request === undefined || picked === null ? [] : [{ ...request, requestedAmount: picked }],
  );
  return [...grown, ...done];
}

function isSame(own: OwnLine, { requestExternalIdentifier, itemNumber, lotNumber }: Line): boolean {
  const id = textOf(requestExternalIdentifier);
  if (own.externalId !== null || id !== null) return own.externalId === id;
  return own.itemNumber === textOf(itemNumber) && own.lot === textOf(lotNumber);
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? filled(String(value)) : null;
