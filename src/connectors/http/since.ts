import { type DateSettings, readDateTime } from "../../sdk/dates.ts";
import { memberAt } from "../../sdk/http/member-at.ts";
import type { SinceOptions } from "./poll-options.ts";

const defaultOverlapSeconds = 120;

/** How far a poll has come, as the time of the latest change it has seen. */
export interface Since {
  /** The time to ask from, as the external system writes it. */
  readonly written: (seenMs: number | undefined) => string;
  /** The same in milliseconds since 1970. */
  readonly askedMs: (seenMs: number | undefined) => number;
  /** When a record was changed, in milliseconds since 1970; undefined where it does not say. */
  readonly changedMs: (record: unknown) => number | undefined;
}

export function since(options: SinceOptions, dates: DateSettings): Since {
  const { at, format = "iso", zone = dates.timeZone, overlapSeconds = defaultOverlapSeconds, start } = options;
  const zoned = { ...dates, timeZone: zone };
  const startMs = start === undefined ? 0 : (msOf(start, zoned) ?? 0);
  // Changes are stamped when they begin and seen when they are committed: a little back, and nothing is skipped.
  const askedMs = (seenMs: number | undefined) =>
    Math.max(0, seenMs === undefined ? startMs : seenMs - overlapSeconds * 1000);
  return {
    askedMs,
    written: (seenMs) => {
      const fromMs = askedMs(seenMs);
      if (format === "epoch") return String(Math.floor(fromMs / 1000));
      if (format === "epochMs") return String(fromMs);
      if (format === "iso") return new Date(fromMs).toISOString().replace(/\.\d+Z$/, "Z");
      // Sweden writes dates as machines do.
      const local = new Date(fromMs).toLocaleString("sv-SE", { timeZone: zone });
      return format === "date" ? local.slice(0, 10) : local;
    },
    changedMs: (record) => (at === undefined ? undefined : msOf(memberAt(record, at), zoned)),
  };
}

function msOf(value: unknown, dates: DateSettings): number | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return value < 1e11 ? value * 1000 : value;
  if (typeof value !== "string") return undefined;
  const read = readDateTime(value, dates);
  return read === null ? undefined : Date.parse(read);
}
