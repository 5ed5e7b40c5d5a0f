import { type PlatformRecords, readGoodsKey } from "../../src/tools/simulator/records/platform-records.ts";
import type { BookedAmount } from "./real-system.ts";

/** Goods of one order that the floor and the external system count differently. */
export interface Difference {
  readonly order: string;
  readonly item: string;
  readonly lot: string | null;
  readonly location: string | null;
  readonly picked: number;
  readonly booked: number;
}

interface ComparedBooks {
  /** Number of lines compared: one order, item, lot and location each. */
  readonly lines: number;
  readonly differences: readonly Difference[];
  /** Goods that the external system could not book, and of which a receipt has told it exactly how many were picked. */
  readonly told: readonly Difference[];
}

interface Knowledge {
  /** Whether the external system keeps lots and locations at all. */
  readonly hasPlaces: boolean;
  readonly receipts: readonly PickedByReceipt[];
}

/** What the newest receipt of a line says was picked of it. */
export interface PickedByReceipt {
  readonly order: string;
  /** Null if it is about the whole order: then the amounts of all its lines are added up. */
  readonly item: string | null;
  readonly picked: number;
}

type Goods = Omit<BookedAmount, "amount">;

/** Compares what the floor took with what the external system booked, order by order and line by line. */
export function compareBooks(
  books: PlatformRecords,
  booked: readonly BookedAmount[],
  { hasPlaces, receipts }: Knowledge,
): ComparedBooks {
  const lines = new Map<string, { readonly goods: Goods; picked: number; booked: number }>();
  const lineOf = ({ order, item, lot, location }: Goods) => {
    const goods = hasPlaces ? { order, item, lot, location } : { order, item, lot: null, location: null };
    const key = JSON.stringify(goods);
    let line = lines.get(key);
    if (line === undefined) {
      line = { goods, picked: 0, booked: 0 };
      lines.set(key, line);
    }
    return line;
  };
  for (const { number, taken } of books.orders.values()) {
    for (const [key, amount] of taken) lineOf({ order: number, ...readGoodsKey(key) }).picked += amount;
  }
  for (const { amount, ...goods } of booked) lineOf(goods).booked += amount;
  const all = [...lines.values()]
    .filter((line) => Math.abs(line.picked - line.booked) > toleranceOf(line.picked))
    .map(({ goods, picked, booked: found }) => ({ ...goods, picked, booked: found }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const isTold = ({ order, item, picked, booked: found }: Difference) => {
    // Booked more than was picked is told by no receipt.
    if (found > picked) return false;
    const ofOrder = receipts.filter((receipt) => receipt.order === order);
    const whole = ofOrder.find((receipt) => receipt.item === null);
    const inAll = [...lines.values()].filter(({ goods }) => goods.order === order);
    if (whole !== undefined && isSame(whole.picked, total(inAll))) return true;
    const own = ofOrder.filter((receipt) => receipt.item === item);
    return own.length > 0 && isSame(total(own), picked);
  };
  return { lines: lines.size, differences: all.filter((one) => !isTold(one)), told: all.filter(isTold) };
}

/**
 * Systems book whole units of the order's line, such as centimetres: a cut of 315.9 is booked as 316. Sums of fractions may
 * differ by a billionth besides.
 */
const toleranceOf = (picked: number): number => (Math.abs(picked - Math.round(picked)) < 1e-6 ? 1e-6 : 0.5 + 1e-6);

const total = (parts: readonly { readonly picked: number }[]): number =>
  parts.reduce((sum, { picked }) => sum + picked, 0);

const isSame = (told: number, picked: number): boolean => Math.abs(told - picked) <= toleranceOf(picked);

export function differenceText({ order, item, lot, location, picked, booked }: Difference): string {
  const place = [item, ...(lot === null ? [] : [`lot ${lot}`]), ...(location === null ? [] : [`from ${location}`])];
  return `${order}  ${place.join(", ")}: the floor took ${picked}, booked are ${booked}`;
}
