/** One order line's account: requested = picked + cancelled + remaining. */
export interface LineAmounts {
  readonly requested: number;
  readonly picked: number;
  readonly cancelled: number;
  /** Confirmed in excess of the requested amount; not part of the equation above. */
  readonly overPicked: number;
  /** Of what is cancelled: what the floor cut short since the external system's latest word on the line. */
  readonly cut: number;
  readonly steps: number;
  /** Identifies the latest steps of this line, newest first, as a JSON list. */
  readonly lastSteps: string | null;
  /** The locations of the confirmed amounts, as a JSON list of [location, amount]. */
  readonly places: string | null;
}

export interface LedgerLine extends LineAmounts {
  readonly orderNumber: string;
  /** Its position among the lines of the order; never reused for another line. */
  readonly position: number;
  readonly requestId: number | null;
  readonly externalId: string | null;
  readonly itemNumber: string;
  readonly lot: string | null;
  readonly unit: number;
  /** The largest amount of any content served before the account was opened; null for lines from elsewhere. */
  readonly intake: number | null;
  readonly designatedLocation: string | null;
  /** Base units per unit of the order line: null not learned yet, 0 not certain, else a whole number. */
  readonly factor: number | null;
  /** Earlier ids of the platform for the same line, from when the order was fetched again; see refetch.ts. */
  readonly refetch: string | null;
}

/** Rounds, so that sums such as 0.1 + 0.2 do not leave a billionth of a line open for ever. */
export function roundAmount(amount: number): number {
  const millionths = Math.round(amount * 1e6);
  // Beyond that there are no fractions left to round, and the product may be infinite.
  return Number.isSafeInteger(millionths) ? millionths / 1e6 : amount;
}

export const remainingOf = (line: LineAmounts): number => roundAmount(line.requested - line.picked - line.cancelled);

/** What the platform has of it now. */
export const presentOf = (line: LineAmounts): number => roundAmount(line.requested - line.cancelled);

/** Everything confirmed, including the excess. */
export const takenOf = (line: LineAmounts): number => roundAmount(line.picked + line.overPicked);

/** The account after everything that is still open was cancelled. */
export const cancelOpen = <Line extends LineAmounts>(line: Line): Line => ({
  ...line,
  cancelled: roundAmount(line.requested - line.picked),
});

/**
 * The account of a line at a put wall, which shows no amounts, with the most it may have asked for: what is given up there
 * is all of that, also where the external system wanted less or nothing of it when the wall began.
 */
export const askedAtWall = (line: LedgerLine): LedgerLine =>
  line.factor === null ? { ...line, requested: Math.max(line.requested, line.intake ?? 0) } : line;

/** The part that is still cut short when less is cancelled than before: what is shown again, or arrived after all, is not. */
export const stillCut = (line: LineAmounts, cancelled: number): number =>
  roundAmount(Math.max(0, line.cut - Math.max(0, line.cancelled - cancelled)));

/** The account with what is cut short now, where so much was open of its line before and after it was given up. */
export const withCut = <Line extends LineAmounts>(line: Line, before: number, after: number): Line => ({
  ...line,
  cut: roundAmount(line.cut + Math.max(0, before - after)),
});

/** The account after the floor gave up what is still open; `wanted` is how much of that somebody still wanted. */
export const cutShort = <Line extends LineAmounts>(line: Line, wanted = remainingOf(line)): Line => ({
  ...cancelOpen(line),
  cut: roundAmount(line.cut + Math.max(0, wanted)),
});

/** The account after the platform has shown this amount of its line. */
export function withShown<Line extends LineAmounts>(line: Line, shown: number): Line {
  const requested = Math.max(line.requested, shown);
  const cancelled = roundAmount(requested - Math.max(shown, line.picked));
  if (requested === line.requested && cancelled === line.cancelled) return line;
  return { ...line, requested, cancelled, cut: stillCut(line, cancelled) };
}

/** The account after the platform's own count of what it requests and has completed. */
export function withCount<Line extends LineAmounts>(line: Line, count: { requested: number; completed: number }): Line {
  const taken = Math.max(takenOf(line), count.completed);
  const requested = Math.max(line.requested, count.requested);
  // What is beyond the request stays beyond it: the platform's count includes it.
  const picked = Math.max(line.picked, Math.min(taken, requested));
  return { ...line, requested, picked, overPicked: roundAmount(taken - picked) };
}

type Places = readonly (readonly [location: string, amount: number])[];

/** The text was written below. */
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
