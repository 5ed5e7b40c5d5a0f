import type { PushTopic } from "../../contract/pushes.ts";
import type { Entry } from "../../journal/entry.ts";
import type { JournalReader, JournalTrouble } from "../../journal/journal.ts";
import { zonedTime } from "../../kit/time/zone-offset.ts";
import { say } from "../../messages/message.ts";
import type { TargetOverview } from "../delivery/outbox.ts";
import { ordersOf } from "../journal-view/entries/entry-view.ts";
import { maskPersonal } from "../journal-view/entries/mask-personal.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import { type AlarmEntry, type Condition, wallTime } from "./alarm.ts";
import { type DeadKind, deadGroup, type EntryTexts, newestDead } from "./entry-texts.ts";
import { deliveryFlow, type FlowMarks } from "./flow-watch.ts";

/** Something that expires: a token, a certificate, or a date from the configuration. */
export interface Expiry {
  readonly name: string;
  readonly at: number;
}

export interface AdapterNeeds {
  readonly quarantine: Pick<Quarantine, "count">;
  /** Orders being picked with a changed line whose unit is uncertain. */
  readonly doubtful: { readonly count: number; readonly orders: readonly string[] };
  readonly diskState: "enough" | "low" | "full";
  readonly freeBytes: number | null;
  /** Why the journal cannot be written any more. */
  readonly journalFailure: string | null;
  /** Results of the last writes. */
  readonly journalTrouble: JournalTrouble;
  readonly expiries: readonly Expiry[];
  readonly expiryDays: number;
  readonly now: number;
  readonly timeZone: string;
}

const dayMs = 86_400_000;

/** What is wrong with the adapter itself, or soon will be. */
export function adapterConditions(needs: AdapterNeeds): Condition[] {
  const { quarantine, doubtful, diskState, freeBytes } = needs;
  const keptBack = quarantine.count();
  const freeMiB = Math.floor((freeBytes ?? 0) / 2 ** 20);
  return [
    ...(keptBack === 0 ? [] : [one("quarantine", say("alarms.quarantine", { count: keptBack }))]),
    ...(doubtful.count === 0
      ? []
      : [one("unit", say("alarms.unit", { count: doubtful.count, orders: doubtful.orders.join(", ") }))]),
    ...(diskState === "enough" ? [] : [one("disk", say(`alarms.disk.${diskState}`, { freeMiB }))]),
    ...journalConditions(needs),
    ...expiring(needs),
  ];
}

/** Reports only the worst condition: a second message about the same journal would add nothing. */
function journalConditions({ journalFailure, journalTrouble: { damage, refused } }: AdapterNeeds): Condition[] {
  if (journalFailure !== null) return [one("journal", say("alarms.journal", { reason: journalFailure }))];
  if (damage !== null) return [one("journal", say("alarms.journal.damaged", { reason: damage }))];
  return refused === null ? [] : [one("journal", say("alarms.journal.refused", { reason: refused }))];
}

const one = (kind: Condition["kind"], text: Condition["text"]): Condition => ({ kind, subject: "", text });

function expiring({ expiries, expiryDays, now, timeZone }: AdapterNeeds): Condition[] {
  if (expiryDays === 0) return [];
  return expiries
    .filter(({ at }) => at - now <= expiryDays * dayMs)
    .map(({ name, at }) => {
      const time = wallTime(at, timeZone);
      const days = Math.floor((at - now) / dayMs);
      const text = at <= now ? say("alarms.expired", { name, time }) : say("alarms.expiry", { name, time, days });
      return { kind: "expiry", subject: name, text };
    });
}

interface TargetNeeds {
  readonly targets: readonly TargetOverview[];
  readonly flows: Pick<FlowMarks, "last">;
  readonly now: number;
  /** When this process started: earlier results of its targets are unknown. */
  readonly startedAt: number;
  readonly timeZone: string;
  /** 0: no alarm. */
  readonly stuckMinutes: number;
  readonly circuitOpenMinutes: number;
}

/**
 * Conditions of a target that does not answer, and of a target that receives nothing although entries wait. One cause
 * raises one alarm.
 */
export function targetConditions(needs: TargetNeeds): Condition[] {
  const { targets, flows, now, startedAt, timeZone, stuckMinutes, circuitOpenMinutes } = needs;
  return targets.flatMap(({ target, breaker, isPaused, isRemoved, waiting, inFlight, oldestAt }): Condition[] => {
    const count = waiting + inFlight;
    if (breaker !== "closed") {
      if (circuitOpenMinutes === 0) return [];
      const text = say("alarms.circuit", { target, count });
      return [{ kind: "circuit", subject: target, text, raiseAfterMs: circuitOpenMinutes * 60_000 }];
    }
    if (oldestAt === undefined || oldestAt === null || stuckMinutes === 0) return [];
    const lastAt = Math.max(oldestAt, flows.last(deliveryFlow, target) ?? 0);
    if (now - Math.max(lastAt, startedAt) < stuckMinutes * 60_000) return [];
    const paused = isRemoved ? "removed" : isPaused ? "yes" : "no";
    const values = { target, count, time: wallTime(lastAt, timeZone), paused };
    return [{ kind: "stuck", subject: target, text: say("alarms.stuck", values) }];
  });
}

const longestAnswer = 500;

/**
 * Dead entries by target. Refused entries concern the people who know the orders; entries that could not be delivered
 * concern the people who run the systems. All are counted, and the newest few are listed.
 */
export function entryConditions(
  read: Pick<JournalReader, "deadCounts" | "list" | "latestAttempt">,
  texts: Pick<EntryTexts, "of">,
): Condition[] {
  const counts = Map.groupBy(read.deadCounts(), ({ target, reason }) => deadGroup(reason, target));
  if (counts.size === 0) return [];
  const newest = newestDead(read);
  return [...counts].map(([key, own]) => {
    // `deadGroup` writes the key in this form.
    const [kind, target] = JSON.parse(key) as [DeadKind, string];
    const count = own.reduce((sum, { entries }) => sum + entries, 0);
    const entries = (newest.get(key) ?? []).map((entry) => alarmEntry(entry, read, texts));
    return { kind, subject: target, text: say(`alarms.${kind}`, { target, count }), entries };
  });
}

function alarmEntry(
  entry: Entry,
  read: Pick<JournalReader, "latestAttempt">,
  texts: Pick<EntryTexts, "of">,
): AlarmEntry {
  const { seq, id, topic, target } = entry;
  const last = read.latestAttempt(seq);
  const answerParts = [last?.status, last?.error, last?.response].filter((part) => part !== undefined && part !== "");
  const lastAnswer = maskPersonal(answerParts.join(": ")).slice(0, longestAnswer);
  const orders = ordersOf(entry);
  const event = texts.of(entry);
  return { seq, id, orders, event, topic, target: target ?? "", lastAnswer, receivedAt: entry.receivedAt };
}

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

interface SilenceNeeds {
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

/** The days in the order of `Date.getUTCDay()`. */
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
