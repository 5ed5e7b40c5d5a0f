import { zonedTime } from "../../kit/time/zone-offset.ts";

const local = /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d{1,2}):(\d\d)(?::(\d\d))?$/;
const absolute = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a time as a person at the site writes it; without a date it is today. Returns milliseconds, or null if it is
 * not a time.
 */
export function timeAtSite(text: string, { timeZone, now }: { timeZone: string; now: number }): number | null {
  if (!isRealDay(text)) return null;
  if (absolute.test(text)) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? null : at;
  }
  const [, date, hours = "", minutes = "", seconds = "00"] = local.exec(text) ?? [];
  if (hours === "") return null;
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(now);
  const wallMs = Date.parse(`${date ?? today}T${hours.padStart(2, "0")}:${minutes}:${seconds}Z`);
  if (Number.isNaN(wallMs)) return null;
  const zoned = zonedTime(wallMs, timeZone);
  return zoned.wallMs - zoned.offsetMinutes * 60_000;
}

/** False for 30 February, which would otherwise be read as 2 March. */
function isRealDay(text: string): boolean {
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day === "") return true;
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
