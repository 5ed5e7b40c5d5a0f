/**
 * A column of whole numbers may be a sequence, or a time since 1970 in seconds or smaller units. A time in the future, by
 * mistake, must not become the cursor: the poll would find nothing until then.
 */
const wholeNumber = /^-?\d+$/;

/** How many of each unit a millisecond has, as numerator and denominator; the smallest unit first. */
const unitsPerMs = [
  [1_000_000n, 1n],
  [1_000n, 1n],
  [1n, 1n],
  [1n, 1_000n],
] as const;

const dayMs = 86_400_000n;
const yearMs = 366n * dayMs;
/** Nobody makes this many mistakes: more numbers beyond now are a sequence. */
const mostFuture = 1_000;

interface Unit {
  readonly day: bigint;
  readonly from: bigint;
  readonly to: bigint;
  /** The greatest number of the last year, up to tomorrow; null if there is none. */
  recent: bigint | null;
  readonly future: bigint[];
}

export interface NumberCursor {
  readonly note: (value: unknown) => void;
  /** The greatest number that is no time in the future; null if the numbers are not taken for times, or none is later. */
  readonly beforeFuture: () => string | null;
}

/**
 * Numbers are taken for times in a unit if one of them, or the cursor, lies in the last year of that unit. Numbers
 * beyond tomorrow are then in the future if a gap of more than a day is in front of them: a sequence that happens to
 * pass these values has no such gap.
 */
export function numberCursor(cursor: string, nowMs: number): NumberCursor {
  const now = BigInt(Math.trunc(nowMs));
  const units = unitsPerMs.map(([per, of]): Unit => {
    const inUnit = (ms: bigint) => (ms * per) / of;
    const [day, from, to] = [inUnit(dayMs), inUnit(now - yearMs), inUnit(now + dayMs)];
    return { day, from, to, recent: null, future: [] };
  });
  const note = (value: unknown) => {
    if ((typeof value !== "string" && typeof value !== "number") || !wholeNumber.test(String(value))) return;
    const number = BigInt(value);
    for (const unit of units) {
      if (number > unit.to) {
        if (unit.future.length <= mostFuture) unit.future.push(number);
      } else if (number >= unit.from && (unit.recent === null || number > unit.recent)) unit.recent = number;
    }
  };
  note(cursor);
  return {
    note,
    beforeFuture: () => {
      const unit = units.find(({ recent }) => recent !== null);
      if (unit === undefined || unit.recent === null || unit.future.length > mostFuture) return null;
      let reached = unit.recent;
      for (const number of unit.future.toSorted((one, other) => (one < other ? -1 : 1))) {
        if (number - reached > unit.day) return String(reached);
        reached = number;
      }
      return null;
    },
  };
}
