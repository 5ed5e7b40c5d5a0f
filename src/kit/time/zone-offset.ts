const dayMs = 86_400_000;
const minuteMs = 60_000;
/** A local day differs from the same day in UTC by at most this much. */
const farthestZoneMs = 15 * 3_600_000;
/** The most cached days per zone. A file has far fewer, and a hostile one must not fill the memory. */
const maxDays = 4_000;

export interface ZonedTime {
  /** The local time as if it were UTC; differs from the input only in the gap when clocks go forward. */
  readonly wallMs: number;
  readonly offsetMinutes: number;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The offset by local day; null if it changes close to that day, so that it must be computed for each time. */
  readonly byDay: Map<number, number | null>;
}

// Formatting one instant takes microseconds, and an import does it 400,000 times. The result depends only on zone and
// day, so all callers can share the cache.
const zones = new Map<string, Zone>();

/**
 * The offset of a zone at a local time. A time that exists twice (clocks go back) is read
 * as the first; one that does not exist (clocks go forward) moves forward by the length of the gap.
 * Throws a RangeError for a zone that does not exist.
 */
export function zonedTime(wallMs: number, timeZone: string): ZonedTime {
  const zone = zoneOf(timeZone);
  const day = Math.floor(wallMs / dayMs);
  let offset = zone.byDay.get(day);
  if (offset === undefined) {
    offset = offsetOfDay(zone, day);
    if (zone.byDay.size >= maxDays) zone.byDay.clear();
    zone.byDay.set(day, offset);
  }
  return offset === null ? nearChange(zone, wallMs) : { wallMs, offsetMinutes: offset };
}

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    zone = { format, byDay: new Map() };
    zones.set(timeZone, zone);
  }
  return zone;
}

function offsetOfDay(zone: Zone, day: number): number | null {
  const before = offsetAt(zone, day * dayMs - farthestZoneMs);
  const after = offsetAt(zone, (day + 1) * dayMs + farthestZoneMs);
  return before === after ? before : null;
}

function nearChange(zone: Zone, wallMs: number): ZonedTime {
  const before = offsetAt(zone, wallMs - dayMs);
  const after = offsetAt(zone, wallMs + dayMs);
  for (const offsetMinutes of [before, after]) {
    if (offsetAt(zone, wallMs - offsetMinutes * minuteMs) === offsetMinutes) return { wallMs, offsetMinutes };
  }
  return { wallMs: wallMs + (after - before) * minuteMs, offsetMinutes: after };
}

function offsetAt(zone: Zone, utcMs: number): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(zone.format.format(utcMs));
  const minutes = Number(match?.[2] ?? 0) * 60 + Number(match?.[3] ?? 0);
  return match?.[1] === "-" ? -minutes : minutes;
}
