import type { Report } from "../../contract/schemas/asks.ts";
import type { Finding } from "../finding.ts";
import { add, type Books, placeKey, readPlaceKey } from "./books.ts";

/** What the report on these orders has to say, by item and location. */
export function expectedReport(books: Books, numbers: readonly string[]): Map<string, number> {
  const placed = new Map<string, number>();
  for (const number of numbers) {
    for (const [key, amount] of books.orders.get(number)?.placed ?? []) add(placed, key, amount);
  }
  return placed;
}

/** Sums of fractions may differ by a billionth and are the same all the same. */
const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;

/** Every item and location on which the report says something else than the books. */
export function compareReport(
  expected: ReadonlyMap<string, number>,
  report: Pick<Report, "placements">,
  { books, numbers }: { readonly books: Books; readonly numbers: readonly string[] },
): Finding[] {
  const found = new Map<string, number>();
  for (const { itemNumber, locationName, amount } of report.placements)
    add(found, placeKey(itemNumber, locationName), amount);
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys].flatMap((key) => {
    const [wanted, reported] = [expected.get(key) ?? 0, found.get(key) ?? 0];
    if (isSame(wanted, reported)) return [];
    const [item, location] = readPlaceKey(key);
    const doubtful = numbers.reduce(
      (sum, number) => sum + (books.orders.get(number)?.doubtful.get(key)?.amount ?? 0),
      0,
    );
    const isDoubt = reported < wanted && reported >= wanted - doubtful - 1e-6;
    const [order = null] = numbers.length === 1 ? numbers : [];
    return [
      {
        kind: isDoubt ? ("doubt" as const) : ("report" as const),
        order,
        item,
        text: `${isDoubt ? "the connection broke between equal pieces: " : ""}the report${order === null ? ` on ${numbers.length} orders` : ""} has another amount at ${location || "no location"}`,
        expected: String(wanted),
        found: String(reported),
        calls: numbers.length > 5 ? [] : numbers.flatMap((number) => books.orders.get(number)?.calls ?? []),
      },
    ];
  });
}
