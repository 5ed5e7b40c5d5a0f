import type { PushTopic } from "../../contract/pushes.ts";
import { zonedTime } from "../../kit/time/zone-offset.ts";
import { say } from "../../messages/message.ts";
import { type Condition, wallTime } from "./alarm.ts";
import type { FlowMarks } from "./flow-watch.ts";

/** Something that should arrive regularly, and how long a silence is accepted. */
export interface SilenceRule {
  /** Pushes of a topic, requests of the platform, or polls of a connector. */
  readonly expect: PushTopic | "requests" | "looks";
  /** A sender or connector, an operation of the platform, or a connector; absent: any. */
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

/** In the order of `Date.getUTCDay()`. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
export type Weekday = (typeof weekdays)[number];

export interface WorkingHours {
  readonly days: readonly Weekday[];
  /** `HH:mm` in the warehouse's time zone. */
  readonly from: string;
  /** `HH:mm`, up to `24:00`. If not after `from`, the shift ends on the next day. */
  readonly to: string;
}

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
/** The weekday of 1 January 1970. */
const firstWeekday = weekdays.indexOf("thursday");
/** Upper limit of the search: a longer silence is reported in any case. */
const farthestDays = 400;

/**
 * How much of a period lies in working hours, counted back from its end and limited to `atMost`. Without this, an
 * alarm for an hour of silence would be raised every Monday in the first minute of work.
 */
export function workingMs(
  span: { readonly from: number; readonly to: number; readonly atMost: number },
  { days, from, to }: WorkingHours,
  timeZone: string,
): number {
  const begins = minutesOf(from) * minuteMs;
  const ends = minutesOf(to) * minuteMs + (minutesOf(to) <= minutesOf(from) ? dayMs : 0);
  // One day ahead and two days back: local time differs from UTC by up to fifteen hours, and a shift may end on the
  // next day.
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

// The remainder is always one of the seven indexes.
const weekdayOf = (day: number): Weekday => weekdays[(((day + firstWeekday) % 7) + 7) % 7] ?? "sunday";

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function instantOf(wallMs: number, timeZone: string): number {
  const zoned = zonedTime(wallMs, timeZone);
  return zoned.wallMs - zoned.offsetMinutes * minuteMs;
}
