import type { Language } from "./languages.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/** The time as "09:41" on the same day and "5 Jan, 09:41" on another, in the warehouse's time zone. */
export function asOf(at: number, { now, timeZone, language }: { now: number; timeZone: string; language: Language }) {
  const isToday = format("day", timeZone, language).format(at) === format("day", timeZone, language).format(now);
  return format(isToday ? "time" : "date and time", timeZone, language).format(at);
}

const shapes: Record<string, Intl.DateTimeFormatOptions> = {
  day: { year: "numeric", month: "numeric", day: "numeric" },
  time: { hour: "2-digit", minute: "2-digit" },
  "date and time": { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
};

function format(shape: string, timeZone: string, language: Language): Intl.DateTimeFormat {
  const name = `${shape} ${timeZone} ${language}`;
  let known = formats.get(name);
  if (known === undefined) {
    // Plain "en" would be American: 09:41 AM.
    const locale = language === "en" ? "en-GB" : language;
    known = new Intl.DateTimeFormat(locale, { ...shapes[shape], timeZone, hourCycle: "h23" });
    formats.set(name, known);
  }
  return known;
}
