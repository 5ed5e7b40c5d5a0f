import { zonedTime } from "../kit/time/zone-offset.ts";

export type DateOrder = "dmy" | "mdy" | "ymd";

export interface DateSettings {
  /** IANA name; the zone of date-times without offset. */
  readonly timeZone: string;
  /** `HH:mm`, for dates without a time. */
  readonly timeOfDay: string;
  /** How a file writes its dates. Without it, only ISO 8601 is read. */
  readonly dateOrder?: DateOrder;
}

/** Programs write a date of 1900 or of the year 1 for "none". An order is never due before this year. */
export const firstYear = 1970;

const time = String.raw`(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([AP])\.?M\.?)?)?`;
const offset = String.raw` ?(Z|[+-]\d\d(?::?\d\d)?)?`;
const isoDate = new RegExp(`^(\\d{4})-(\\d\\d)-(\\d\\d)${time}${offset}$`, "i");
const compactDate = /^(\d{4})(\d\d)(\d\d)(?:[T ]?(\d\d)(\d\d)(\d\d)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const orderedDates: Record<DateOrder, RegExp> = {
  ymd: new RegExp(`^(\\d{4})[./-](\\d{1,2})[./-](\\d{1,2})${time}${offset}$`, "i"),
  dmy: new RegExp(`^(\\d{1,2})[./-](\\d{1,2})[./-](\\d{4}|\\d\\d)${time}${offset}$`, "i"),
  mdy: new RegExp(`^(\\d{1,2})[./-](\\d{1,2})[./-](\\d{4}|\\d\\d)${time}${offset}$`, "i"),
};
/** Which of the three groups is the year, the month and the day. */
const places: Record<DateOrder, readonly [number, number, number]> = { ymd: [1, 2, 3], dmy: [3, 2, 1], mdy: [3, 1, 2] };

/**
 * Reads a date or date-time and writes it as ISO 8601 with offset, such as `2026-03-01T08:00:00+01:00`. Returns null if
 * it is not an existing date.
 */
export function readDateTime(text: string, settings: DateSettings): string | null {
  const trimmed = text.trim();
  let order: DateOrder = "ymd";
  let match = isoDate.exec(trimmed);
  if (match === null && settings.dateOrder !== undefined) {
    order = settings.dateOrder;
    match = orderedDates[order].exec(trimmed);
  }
  if (match !== null) {
    const [year, month, day] = places[order];
    return assemble(match[year], match[month], match[day], match.slice(4, 9), match[9], settings);
  }
  const compact = compactDate.exec(trimmed);
  return compact === null
    ? null
    : assemble(compact[1], compact[2], compact[3], compact.slice(4, 7), compact[7], settings);
}

/** Whether the local time does not exist, because clocks go forward over it, so that `read` has a later one. */
export function isSkippedTime(text: string, read: string, settings: DateSettings): boolean {
  const wall = readDateTime(text, { ...settings, timeZone: "UTC" });
  return wall !== null && wall.slice(0, wallLength) !== read.slice(0, wallLength);
}

const wallLength = "2030-03-31T02:30".length;

type Part = string | undefined;

/** A ten-millionth of a second: strict clients read no finer fractions. */
const maxFractionDigits = 7;

function assemble(year: Part, month: Part, day: Part, clock: Part[], offsetText: Part, settings: DateSettings) {
  const fullYear = year?.length === 2 ? 2000 + Number(year) : Number(year);
  const dateMs = dateOf(fullYear, Number(month), Number(day));
  const [hours, minutes, seconds, fraction, half] = clock[0] === undefined ? settings.timeOfDay.split(":") : clock;
  const clockMs = timeOf(hourOf(Number(hours), half), Number(minutes), Number(seconds ?? 0));
  if (dateMs === null || clockMs === null) return null;
  const wallMs = dateMs + clockMs;
  if (offsetText === undefined) {
    const zoned = zonedTime(wallMs, settings.timeZone);
    return written(zoned.wallMs, fraction, zoned.offsetMinutes);
  }
  const offsetMinutes = offsetOf(offsetText);
  return offsetMinutes === null ? null : written(wallMs, fraction, offsetMinutes);
}

function dateOf(year: number, month: number, day: number): number | null {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return null;
  const date = new Date(0);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; ERPs write 0001-01-01 for "none".
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCDate() === day ? date.getTime() : null;
}

function timeOf(hours: number, minutes: number, seconds: number): number | null {
  const isEndOfDay = hours === 24 && minutes === 0 && seconds === 0;
  if (!(hours < 24 || isEndOfDay) || !(minutes < 60) || !(seconds < 60)) return null;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

function hourOf(hours: number, half: Part): number {
  if (half === undefined) return hours;
  if (hours < 1 || hours > 12) return Number.NaN;
  return (hours % 12) + (half.toUpperCase() === "P" ? 12 : 0);
}

function offsetOf(text: string): number | null {
  if (text.toUpperCase() === "Z") return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(3).replace(":", ""));
  // No place on earth has a larger offset, and strict clients refuse one.
  if (minutes > 14 * 60 || Number(text.slice(3).replace(":", "")) > 59) return null;
  return text.startsWith("-") ? -minutes : minutes;
}

function written(wallMs: number, fraction: Part, offsetMinutes: number): string | null {
  const wall = new Date(wallMs);
  const utc = new Date(wallMs - offsetMinutes * 60_000);
  // Strict clients convert to UTC, where the year must have four digits too.
  if (![wall, utc].every((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999)) return null;
  const seconds = wall.toISOString().slice(0, 19);
  const digits = fraction?.slice(0, maxFractionDigits).replace(/0+$/, "") ?? "";
  return seconds + (digits === "" ? "" : `.${digits}`) + offsetWritten(offsetMinutes);
}

function offsetWritten(minutes: number): string {
  if (minutes === 0) return "Z";
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}
