/** The amounts of one order line: requested = picked + cancelled + remaining. */
export interface LineAmounts {
  readonly requested: number;
  readonly picked: number;
  readonly cancelled: number;
  /** Confirmed beyond the requested amount; not part of the equation above. */
  readonly overPicked: number;
  /** The part of `cancelled` that was short-picked since the external system's latest change of the line. */
  readonly shortPicked: number;
  readonly steps: number;
  /** Identifies the latest steps of this line, newest first, as a JSON list. */
  readonly lastSteps: string | null;
  /** The locations of the confirmed amounts, as a JSON list of [location, amount]. */
  readonly places: string | null;
}

export interface LedgerLine extends LineAmounts {
  readonly orderNumber: string;
  /** Its index among the lines of the order; never reused for another line. */
  readonly position: number;
  readonly requestId: number | null;
  readonly externalId: string | null;
  readonly itemNumber: string;
  readonly lot: string | null;
  readonly unit: number;
  /** The largest amount of any content served before the ledger line was opened; null for lines from elsewhere. */
  readonly intake: number | null;
  readonly designatedLocation: string | null;
  /** Base units per unit of the order line: null not learned yet, 0 not certain, else a whole number. */
  readonly factor: number | null;
  /** Earlier ids that the platform had for the same line before it fetched the order again; see refetch.ts. */
  readonly refetch: string | null;
}

/** Rounds to millionths, so that sums such as 0.1 + 0.2 do not leave a tiny part of a line open for ever. */
export function roundAmount(amount: number): number {
  const millionths = Math.round(amount * 1e6);
  // Larger numbers have no fractions left to round, and the product may be infinite.
  return Number.isSafeInteger(millionths) ? millionths / 1e6 : amount;
}

export const remainingOf = (line: LineAmounts): number => roundAmount(line.requested - line.picked - line.cancelled);

/** The amount the platform has of the line now. */
export const presentOf = (line: LineAmounts): number => roundAmount(line.requested - line.cancelled);

/** Everything confirmed, including what is beyond the request. */
export const takenOf = (line: LineAmounts): number => roundAmount(line.picked + line.overPicked);

/** The ledger line after everything still open was cancelled. */
export const cancelOpen = <Line extends LineAmounts>(line: Line): Line => ({
  ...line,
  cancelled: roundAmount(line.requested - line.picked),
});

/**
 * The ledger line of a line at a put wall, with the most the wall may have asked for, because a wall shows no amounts.
 * Giving up there gives up all of that, even if the external system wanted less when the wall began.
 */
export const askedAtWall = (line: LedgerLine): LedgerLine =>
  line.factor === null ? { ...line, requested: Math.max(line.requested, line.intake ?? 0) } : line;

/**
 * The short-picked part when less is cancelled than before: what is shown again, or arrived later, is not short-picked.
 */
export const stillShortPicked = (line: LineAmounts, cancelled: number): number =>
  roundAmount(Math.max(0, line.shortPicked - Math.max(0, line.cancelled - cancelled)));

/** Adds what was short-picked now: the difference of the line's open amount before and after it was given up. */
export const withShortPicked = <Line extends LineAmounts>(line: Line, before: number, after: number): Line => ({
  ...line,
  shortPicked: roundAmount(line.shortPicked + Math.max(0, before - after)),
});

/** The ledger line after the floor gave up what is still open; `wanted` is how much of that was still wanted. */
export const shortPick = <Line extends LineAmounts>(line: Line, wanted = remainingOf(line)): Line => ({
  ...cancelOpen(line),
  shortPicked: roundAmount(line.shortPicked + Math.max(0, wanted)),
});

/** The ledger line after the platform has shown this amount of its line. */
export function withShown<Line extends LineAmounts>(line: Line, shown: number): Line {
  const requested = Math.max(line.requested, shown);
  const cancelled = roundAmount(requested - Math.max(shown, line.picked));
  if (requested === line.requested && cancelled === line.cancelled) return line;
  return { ...line, requested, cancelled, shortPicked: stillShortPicked(line, cancelled) };
}

/** The ledger line after the platform reported its own count of requested and completed pieces. */
export function withCount<Line extends LineAmounts>(line: Line, count: { requested: number; completed: number }): Line {
  const taken = Math.max(takenOf(line), count.completed);
  const requested = Math.max(line.requested, count.requested);
  // What is beyond the request stays beyond it: the platform's count includes it.
  const picked = Math.max(line.picked, Math.min(taken, requested));
  return { ...line, requested, picked, overPicked: roundAmount(taken - picked) };
}

type Places = readonly (readonly [location: string, amount: number])[];

/** `atPlace` below wrote this text. */
export const placesOf = (places: string | null): Places => (places === null ? [] : (JSON.parse(places) as Places));

/**
 * The whole list is read and written with every step. A thousand locations for one line are more than any floor has.
 * Further amounts are counted without a location, because otherwise the ledger line could grow without limit.
 */
const mostCharacters = 2 ** 16;

/** The ledger line after a confirmed amount came from or went to a location; amounts of one location are added up. */
export function atPlace<Line extends LineAmounts>(line: Line, location: string, amount: number): Line {
  const places = new Map(placesOf(line.places));
  const hasRoom = places.has(location) || (line.places ?? "").length + location.length < mostCharacters;
  const place = hasRoom ? location : "";
  places.set(place, roundAmount((places.get(place) ?? 0) + amount));
  return { ...line, places: JSON.stringify([...places]) };
}
