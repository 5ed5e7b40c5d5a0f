import type { PushTopic } from "../../contract/pushes.ts";
import { say } from "../../messages/message.ts";
import type { Condition } from "./alarm.ts";
import type { FlowMarks } from "./flow-marks.ts";
import { wallTime } from "./wall-time.ts";
import { isWorkingTime, type WorkingHours, weekdays, workingMs } from "./working-hours.ts";

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
