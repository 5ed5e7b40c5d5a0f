import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { say } from "../../messages/message.ts";
import type { TargetOverview } from "../delivery/outbox.ts";
import { entryView } from "../journal-view/entries/entry-view.ts";
import { maskPersonal } from "../journal-view/entries/mask-personal.ts";
import { type AlarmEntry, type Condition, wallTime } from "./alarm.ts";
import { deliveryFlow, type FlowMarks } from "./flow-watch.ts";

export interface TargetNeeds {
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

/** A target that does not answer, and a target that gets nothing although entries are waiting. One cause gives one alarm. */
export function targetConditions(needs: TargetNeeds): Condition[] {
  const { targets, flows, now, startedAt, timeZone, stuckMinutes, circuitOpenMinutes } = needs;
  return targets.flatMap(({ target, breaker, isPaused, waiting, inFlight, oldestAt }): Condition[] => {
    const count = waiting + inFlight;
    if (breaker !== "closed") {
      if (circuitOpenMinutes === 0) return [];
      const text = say("alarms.circuit", { target, count });
      return [{ kind: "circuit", subject: target, text, raiseAfterMs: circuitOpenMinutes * 60_000 }];
    }
    if (oldestAt === undefined || oldestAt === null || stuckMinutes === 0) return [];
    const lastAt = Math.max(oldestAt, flows.last(deliveryFlow, target) ?? 0);
    if (now - Math.max(lastAt, startedAt) < stuckMinutes * 60_000) return [];
    const values = { target, count, time: wallTime(lastAt, timeZone), paused: isPaused ? "yes" : "no" };
    return [{ kind: "stuck", subject: target, text: say("alarms.stuck", values) }];
  });
}

const mostListed = 5;
/** How many dead entries are read to find the few that are listed per target. */
const mostLookedAt = 100;
const longestAnswer = 500;

type Kind = "refused" | "gaveUp";
const kindOf = (reason: string | null): Kind => (reason === "refused" ? "refused" : "gaveUp");

/**
 * Dead entries by target. Refused entries concern the people who know the orders; entries that could not be delivered
 * concern the people who run the systems. All are counted, and the newest few are listed.
 */
export function entryConditions(read: Pick<JournalReader, "deadCounts" | "list" | "attempts">): Condition[] {
  const counts = Map.groupBy(read.deadCounts(), ({ target, reason }) => JSON.stringify([kindOf(reason), target]));
  if (counts.size === 0) return [];
  const newest = Map.groupBy(read.list({ states: ["dead"], limit: mostLookedAt }), ({ target, reason }) =>
    JSON.stringify([kindOf(reason), target ?? ""]),
  );
  return [...counts].map(([key, own]) => {
    // Set a few lines above.
    const [kind, target] = JSON.parse(key) as [Kind, string];
    const count = own.reduce((sum, { entries }) => sum + entries, 0);
    const entries = (newest.get(key) ?? []).slice(0, mostListed).map((entry) => alarmEntry(entry, read));
    return { kind, subject: target, text: say(`alarms.${kind}`, { target, count }), entries };
  });
}

function alarmEntry(entry: Entry, read: Pick<JournalReader, "attempts">): AlarmEntry {
  const { seq, id, orders, text, topic, target } = entryView(entry, { showPersonal: false });
  const last = read.attempts(seq).at(-1);
  const said = [last?.status, last?.error, last?.response].filter((part) => part !== undefined && part !== "");
  const lastAnswer = maskPersonal(said.join(": ")).slice(0, longestAnswer);
  return { seq, id, orders, event: text, topic, target: target ?? "", lastAnswer, receivedAt: entry.receivedAt };
}
