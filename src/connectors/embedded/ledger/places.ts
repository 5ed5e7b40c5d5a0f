import { type LineAmounts, roundAmount } from "./ledger-line.ts";

type Places = readonly (readonly [location: string, amount: number])[];

export const placesOf = (places: string | null): Places => (places === null ? [] : (JSON.parse(places) as Places));

/**
 * The whole list is read and written with every step. A thousand locations of one line are more than any floor has; what
 * comes beyond them is counted without its location, or names of any number and length would grow the account for ever.
 */
const mostCharacters = 2 ** 16;

/** The account after a confirmed amount came from a location or went to it; amounts of one location are added up. */
export function atPlace<Line extends LineAmounts>(line: Line, location: string, amount: number): Line {
  const places = new Map(placesOf(line.places));
  const hasRoom = places.has(location) || (line.places ?? "").length + location.length < mostCharacters;
  const place = hasRoom ? location : "";
  places.set(place, roundAmount((places.get(place) ?? 0) + amount));
  return { ...line, places: JSON.stringify([...places]) };
}
