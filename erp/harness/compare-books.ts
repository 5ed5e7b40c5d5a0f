import { type Books, readGoodsKey } from "../../src/tools/simulator/books/books.ts";
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
}

interface Knowledge {
  /** Whether the external system keeps lots and locations at all. */
  readonly hasPlaces: boolean;
}

type Goods = Omit<BookedAmount, "amount">;

/** Compares what the floor took with what the external system booked, order by order and line by line. */
export function compareBooks(books: Books, booked: readonly BookedAmount[], { hasPlaces }: Knowledge): ComparedBooks {
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
  return {
    lines: lines.size,
    differences: [...lines.values()]
      .filter((line) => Math.abs(line.picked - line.booked) > toleranceOf(line.picked))
      .map(({ goods, picked, booked: found }) => ({ ...goods, picked, booked: found }))
      .toSorted((a, b) => (a.order < b.order ? -1 : 1)),
  };
}

/**
 * Systems book whole units of the order's line, such as centimetres: a cut of 315.9 is booked as 316. Sums of fractions may
 * differ by a billionth besides.
 */
const toleranceOf = (picked: number): number => (Math.abs(picked - Math.round(picked)) < 1e-6 ? 1e-6 : 0.5 + 1e-6);

export function differenceText({ order, item, lot, location, picked, booked }: Difference): string {
  const place = [item, ...(lot === null ? [] : [`lot ${lot}`]), ...(location === null ? [] : [`from ${location}`])];
  return `${order}  ${place.join(", ")}: the floor took ${picked}, booked are ${booked}`;
}
