import { type LineAmounts, roundAmount } from "./ledger-line.ts";

type Places = readonly (readonly [location: string, amount: number])[];

export const placesOf = (places: string | null): Places => (places === null ? [] : (JSON.parse(places) as Places));

/** The account after a confirmed amount came from a location or went to it; amounts of one location are added up. */
export function atPlace<Line extends LineAmounts>(line: Line, location: string, amount: number): Line {
  const places = new Map(placesOf(line.places));
  places.set(location, roundAmount((places.get(location) ?? 0) + amount));
  return { ...line, places: JSON.stringify([...places]) };
}
