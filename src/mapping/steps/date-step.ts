import { zonedTime } from "../../kit/time/zone-offset.ts";
import { type DateSettings, readDateTime } from "../../operation/dates.ts";
import { complain, type Step, shown } from "../run.ts";
import { plainNumber } from "./number-step.ts";
import type { StepNeeds } from "./text-steps.ts";

interface Token {
  readonly letters: string;
  readonly pattern: string;
  readonly part: "year" | "month" | "day" | "hour" | "minute" | "second" | "fraction" | "half" | "offset";
}

/** Longest first, because `yyyy` must not be read as `yy` twice. */
const tokens: readonly Token[] = [
  { letters: "yyyy", pattern: String.raw`(\d{4})`, part: "year" },
  { letters: "SSS", pattern: String.raw`(\d{1,9})`, part: "fraction" },
  { letters: "XXX", pattern: String.raw`(Z|[+-]\d\d:?\d\d)`, part: "offset" },
  { letters: "yy", pattern: String.raw`(\d\d)`, part: "year" },
  { letters: "MM", pattern: String.raw`(\d\d)`, part: "month" },
  { letters: "dd", pattern: String.raw`(\d\d)`, part: "day" },
  { letters: "HH", pattern: String.raw`(\d\d)`, part: "hour" },
  { letters: "hh", pattern: String.raw`(\d\d)`, part: "hour" },
  { letters: "mm", pattern: String.raw`(\d\d)`, part: "minute" },
  { letters: "ss", pattern: String.raw`(\d\d)`, part: "second" },
  { letters: "M", pattern: String.raw`(\d{1,2})`, part: "month" },
  { letters: "d", pattern: String.raw`(\d{1,2})`, part: "day" },
  { letters: "H", pattern: String.raw`(\d{1,2})`, part: "hour" },
  { letters: "h", pattern: String.raw`(\d{1,2})`, part: "hour" },
  { letters: "a", pattern: "([AaPp])[Mm]", part: "half" },
];

/** Reads a text by a pattern such as `dd.MM.yyyy HH:mm` into ISO 8601; null if it does not match. */
type DateReader = (text: string) => string | null;

/** Null if the pattern has unknown letters, or no year, month and day. Other words must be in single quotes. */
function datePattern(pattern: string): DateReader | null {
  const parts: Token["part"][] = [];
  let expression = "";
  let at = 0;
  while (at < pattern.length) {
    const quoted = /^'([^']*)'/.exec(pattern.slice(at));
    const token = tokens.find(({ letters }) => pattern.startsWith(letters, at));
    const letter = pattern[at] ?? "";
    if (quoted !== null) expression += escaped(quoted[1] ?? "");
    else if (token !== undefined) expression += token.pattern;
    else if (/\p{L}/u.test(letter)) return null;
    else expression += escaped(letter);
    if (quoted === null && token !== undefined) parts.push(token.part);
    at += quoted?.[0].length ?? token?.letters.length ?? 1;
  }
  const hasDate = (["year", "month", "day"] as const).every((part) => parts.includes(part));
  if (!hasDate || new Set(parts).size < parts.length) return null;
  const whole = new RegExp(`^${expression}$`);
  return (text) => {
    const match = whole.exec(text);
    if (match === null) return null;
    const found = new Map(parts.map((part, index) => [part, match[index + 1] ?? ""]));
    return isoText(found);
  };
}

function isoText(found: ReadonlyMap<Token["part"], string>): string {
  const digits = (part: Token["part"]) => (found.get(part) ?? "0").padStart(2, "0");
  const year = found.get("year") ?? "";
  const date = `${year.length === 2 ? `20${year}` : year}-${digits("month")}-${digits("day")}`;
  if (!found.has("hour")) return date;
  const fraction = found.has("fraction") ? `.${found.get("fraction")}` : "";
  const half = found.has("half") ? ` ${found.get("half")}M` : "";
  return `${date}T${digits("hour")}:${digits("minute")}:${digits("second")}${fraction}${half}${found.get("offset") ?? ""}`;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Milliseconds per unit, by its name. */
const epochs: Readonly<Record<string, number>> = { "epoch-seconds": 1000, "epoch-millis": 1 };
const oldOData = /^\/Date\((-?\d{1,17})(?:[+-]\d{4})?\)\/$/;
/** How systems write "no date": SAP, MySQL and the first day of .NET's calendar. */
const noDate = /^(?:0{8}(?:0{6})?|0|0000-00-00.*|00[./]00[./]0000|0001-01-01.*)$/;

/**
 * Reads a date. `true` reads ISO 8601, `yyyyMMdd` and `/Date(…)/`; a text is a pattern, `epoch-seconds` or
 * `epoch-millis`.
 */
export function dateStep(option: unknown, { site, dates, report }: StepNeeds): Step {
  if (typeof option === "string" && Object.hasOwn(epochs, option)) return epochStep(epochs[option] ?? 1, option, site);
  const byPattern = typeof option === "string" ? datePattern(option) : null;
  if (option !== true && byPattern === null) {
    report(
      `${shown(option)} is not a date format; write true, epoch-seconds, epoch-millis or a pattern such as dd.MM.yyyy HH:mm`,
    );
  }
  const format = byPattern === null ? "a date; name its format, such as date: dd.MM.yyyy" : `a date like ${option}`;
  return (value, run) => {
    if (value instanceof Date) return instant(value.getTime()) ?? complain(site, run, "is not a valid date");
    // AS/400 and SAP store dates as the number 20261231.
    const text = typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
    if (noDate.test(text)) return undefined;
    const old = oldOData.exec(text);
    const iso = byPattern === null ? text : byPattern(text);
    const written = old === null ? (iso === null ? null : readDateTime(iso, dates)) : instant(Number(old[1]));
    return written ?? complain(site, run, `${shown(value)} is not ${format}`);
  };
}

function epochStep(unitMs: number, option: string, site: StepNeeds["site"]): Step {
  return (value, run) => {
    const number = plainNumber(value);
    const written = number === undefined ? null : instant(number * unitMs);
    return written ?? complain(site, run, `${shown(value)} is not a date in ${option}`);
  };
}

function instant(ms: number): string | null {
  const date = new Date(Math.round(ms));
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString().replace(".000Z", "Z") : null;
}

/** The deployment's date settings, with the time zone of one rule. */
export function datesIn(zone: unknown, dates: DateSettings, report: (text: string) => void): DateSettings {
  if (zone === undefined) return dates;
  try {
    if (typeof zone !== "string") throw new RangeError("no text");
    zonedTime(0, zone);
    return { ...dates, timeZone: zone };
  } catch {
    report(`${shown(zone)} is not a time zone; write an IANA name such as Europe/Berlin`);
    return dates;
  }
}
