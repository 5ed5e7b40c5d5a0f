import type { PushTopic } from "../../contract/pushes.ts";
import { zonedTime } from "../../kit/time/zone-offset.ts";
import { say } from "../../messages/message.ts";
import { type Condition, wallTime } from "./alarm.ts";
import type { FlowMarks } from "./flow-watch.ts";

/** Something that has to come regularly, and how long nobody worries when it does not. */
export interface SilenceRule {
  /** Pushes of a topic, requests of the platform, or looks of a connector into its system. */
  readonly expect: PushTopic | "requests" | "looks";
  /** A sender or connector, an operation of the platform, a connector; absent: whichever. */
  readonly of?: string | undefined;
  readonly minutes: number;
  /** Whether silence counts outside working hours too. */
  readonly always: boolean;
}

export interface SilenceNeeds {
  readonly rules: readonly SilenceRule[];
  readonly flows: Pick<FlowMarks, "last" | "watchedSince">;
  readonly now: number;
  readonly hours: WorkingHours;
  readonly timeZone: string;
}

export function silenceConditions({ rules, flows, now, hours, timeZone }: SilenceNeeds): Condition[] {
  return rules.flatMap((rule): Condition[] => {
    const { expect, of, minutes, always } = rule;
    const watched = flows.watchedSince(JSON.stringify([expect, of ?? ""]));
    const last = Math.max(flows.last(expect, of) ?? 0, watched);
    const counted = always ? { days: weekdays, from: "00:00", to: "24:00" } : hours;
    const enough = minutes * 60_000;
    if (workingMs({ from: last, to: now, atMost: enough }, counted, timeZone) < enough) return [];
    const values = { flow: expect, of: of ?? "", time: wallTime(last, timeZone) };
    return [
      {
        kind: "silence",
        subject: of === undefined ? expect : `${expect} of ${of}`,
        text: say("alarms.silence", values),
        isQuiet: !isWorkingTime(now, counted, timeZone),
      },
    ];
  });
}

/** In the order in which a week of the calendar counts them. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
export type Weekday = (typeof weekdays)[number];

export interface WorkingHours {
  readonly days: readonly Weekday[];
  /** `HH:mm` on the wall of the warehouse. */
  readonly from: string;
  /** `HH:mm`, `24:00` included; not after `from`: the shift ends on the next day. */
  readonly to: string;
}

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
/** The first of January 1970. */
const firstWeekday = weekdays.indexOf("thursday");
/** Whoever was silent for longer than this was silent for long enough. */
const farthestDays = 400;

/**
 * How much of a span lies in working hours; counted from its end, and no further than `atMost`. Without this an
 * alarm for an hour of silence would ring every Monday at the first minute of work.
 */
export function workingMs(
  span: { readonly from: number; readonly to: number; readonly atMost: number },
  { days, from, to }: WorkingHours,
  timeZone: string,
): number {
  const begins = minutesOf(from) * minuteMs;
  const ends = minutesOf(to) * minuteMs + (minutesOf(to) <= minutesOf(from) ? dayMs : 0);
  // A day ahead and two behind: local days lie up to fifteen hours beside those of UTC, and shifts end tomorrow.
  const last = Math.floor(span.to / dayMs) + 1;
  const first = Math.max(Math.floor(span.from / dayMs) - 2, last - farthestDays);
  let worked = 0;
  for (let day = last; day >= first && worked < span.atMost; day--) {
    if (!days.includes(weekdayOf(day))) continue;
    const begin = Math.max(instantOf(day * dayMs + begins, timeZone), span.from);
    const end = Math.min(instantOf(day * dayMs + ends, timeZone), span.to);
    worked += Math.max(0, end - begin);
  }
  return Math.min(worked, span.atMost);
}

export const isWorkingTime = (at: number, hours: WorkingHours, timeZone: string): boolean =>
  workingMs({ from: at, to: at + 1, atMost: 1 }, hours, timeZone) > 0;

// There are seven; the remainder is one of them.
const weekdayOf = (day: number): Weekday => weekdays[(((day + firstWeekday) % 7) + 7) % 7] ?? "sunday";

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function instantOf(wallMs: number, timeZone: string): number {
  const zoned = zonedTime(wallMs, timeZone);
  return zoned.wallMs - zoned.offsetMinutes * minuteMs;
}
