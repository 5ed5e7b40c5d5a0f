import { zonedTime } from "../../../kit/zone-offset.ts";
import { type DateSettings, readDateTime } from "../../dates.ts";
import { complain, type Step, shown } from "../run.ts";
import { datePattern } from "./date-pattern.ts";
import { plainNumber } from "./plain-number.ts";
import type { StepNeeds } from "./step-needs.ts";

/** Milliseconds of one unit, by the word that names it. */
const epochs: Readonly<Record<string, number>> = { "epoch-seconds": 1000, "epoch-millis": 1 };
const oldOData = /^\/Date\((-?\d{1,17})(?:[+-]\d{4})?\)\/$/;
/** How systems write "no date": SAP, MySQL and the first day of .NET's calendar. */
const noDate = /^(?:0{8}(?:0{6})?|0|0000-00-00.*|00[./]00[./]0000|0001-01-01.*)$/;

/** `true` reads ISO 8601, `yyyyMMdd` and `/Date(…)/`; a text is a pattern, `epoch-seconds` or `epoch-millis`. */
export function dateStep(option: unknown, { site, dates, report }: StepNeeds): Step {
  if (typeof option === "string" && Object.hasOwn(epochs, option)) return epochStep(epochs[option] ?? 1, option, site);
  const byPattern = typeof option === "string" ? datePattern(option) : null;
  if (option !== true && byPattern === null) {
    report(
      `${shown(option)} is no date format; write true, epoch-seconds, epoch-millis or a pattern such as dd.MM.yyyy HH:mm`,
    );
  }
  const format = byPattern === null ? "a date; name its format, such as date: dd.MM.yyyy" : `a date like ${option}`;
  return (value, run) => {
    if (value instanceof Date) return instant(value.getTime()) ?? complain(site, run, "is no valid date");
    // AS/400 and SAP hold dates as the number 20261231.
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
    return written ?? complain(site, run, `${shown(value)} is no date in ${option}`);
  };
}

function instant(ms: number): string | null {
  const date = new Date(Math.round(ms));
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString().replace(".000Z", "Z") : null;
}

/** The deployment's date settings with the zone of one rule. */
export function datesIn(zone: unknown, dates: DateSettings, report: (text: string) => void): DateSettings {
  if (zone === undefined) return dates;
  try {
    if (typeof zone !== "string") throw new RangeError("no text");
    zonedTime(0, zone);
    return { ...dates, timeZone: zone };
  } catch {
    report(`${shown(zone)} is no time zone; write an IANA name such as Europe/Berlin`);
    return dates;
  }
}
