import { Fault } from "../../../operation/fault.ts";
import type { Row } from "../drivers/database.ts";
import type { PollOptions } from "../options.ts";

/** The cursor of a poll is the greatest value of its column, as the database writes it. */
const dateTime = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const wholeNumber = /^-?\d+$/;

/** The value for comparison: nanoseconds, or the number itself; null if it is neither a time nor a whole number. */
function rankOf(text: string): bigint | null {
  if (wholeNumber.test(text)) return BigInt(text);
  const match = dateTime.exec(text);
  if (match === null) return null;
  const [, year, month, day, hours = "0", minutes = "0", seconds = "0", fraction = "", offset = ""] = match;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds));
  return BigInt(ms - offsetMs(offset)) * 1_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9));
}

function offsetMs(offset: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(offset);
  if (match === null) return 0;
  const [, sign, hours, minutes = "0"] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Whether the value is before the cursor, or cannot be compared with it. */
export function isBefore(value: unknown, cursor: string): boolean {
  const rank = typeof value === "string" || typeof value === "number" ? rankOf(String(value)) : null;
  const known = rankOf(cursor);
  return rank === null || known === null || rank < known;
}

/**
 * Returns the cursor, but at most the current time: with a cursor in the future, a poll would find nothing until then.
 * A time without offset is read in the given zone. A number stays: `numberCursor` knows whether it is a time.
 */
export function notAfter(cursor: string, nowMs: number, timeZone: string): string {
  const match = dateTime.exec(cursor);
  const rank = rankOf(cursor);
  if (match === null || rank === null) return cursor;
  const now = new Date(nowMs);
  const offset = match[8] === undefined ? "" : "+00:00";
  // The Swedish locale writes dates in ISO order.
  const wall =
    offset === "" ? now.toLocaleString("sv-SE", { timeZone }) : now.toISOString().slice(0, 19).replace("T", " ");
  // A row that was changed in this second is not of the future.
  const limit = rankOf(`${wall}.${String(now.getUTCMilliseconds()).padStart(3, "0")}${offset}`);
  // Whole seconds: in a column of whole seconds, another row of this second would be before a fraction of it.
  return limit !== null && rank > limit ? wall + offset : cursor;
}

/** Whether a value is a time or a sequence number. */
export const isPlace = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") && rankOf(String(value)) !== null;

/** The greater of two cursors. A value that is neither a time nor a number, such as null, changes nothing. */
export function laterCursor(cursor: string, value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return cursor;
  const candidate = String(value);
  const rank = rankOf(candidate);
  const known = rankOf(cursor);
  if (rank === null) return cursor;
  return known === null || rank > known ? candidate : cursor;
}

/** The value of `:since`: the cursor minus the overlap, in the format of the column; a number has no overlap. */
export function sinceOf(cursor: string, overlapSeconds: number): string {
  const match = dateTime.exec(cursor);
  const rank = rankOf(cursor);
  if (match === null || rank === null || overlapSeconds === 0) return cursor;
  const text = new Date(Number(rank / 1_000_000n) - overlapSeconds * 1000).toISOString();
  // A time without offset is the database's local time, and is written without offset again.
  return match[8] === undefined ? text.slice(0, -1).replace("T", " ") : text.replace("T", " ").replace("Z", "+00:00");
}

/** Checks that the rows have the column of the cursor; throws at the first row without it. */
export function sincePlaces({ options }: { readonly options: PollOptions }) {
  const { column } = options.since;
  let rows = 0;
  let example: unknown;
  let hasPlace = false;
  return {
    note: (row: Row): void => {
      if (!Object.hasOwn(row, column)) {
        const there = Object.keys(row).join(", ");
        throw new Fault("broken", `the poll of ${options.topic} returns no column ${column}; it returns ${there}`);
      }
      rows++;
      hasPlace ||= isPlace(row[column]);
      example ??= row[column];
    },
    /** Null if at least one row has a usable value, or there are no rows. */
    problem: (): string | null => {
      if (rows === 0 || hasPlace) return null;
      return example === undefined || example === null
        ? `no row has a value in the column ${column}`
        : `${JSON.stringify(String(example).slice(0, 100))} in the column ${column} is neither a time nor a whole number`;
    },
  };
}
