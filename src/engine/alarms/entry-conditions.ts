import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { say } from "../../messages/message.ts";
import { entryView } from "../overview/entry-view.ts";
import { maskPersonal } from "../overview/mask-personal.ts";
import type { AlarmEntry, Condition } from "./alarm.ts";

const mostTold = 5;
/** Of those that wait so many are looked at for the few that are told of each target. */
const mostLookedAt = 100;
const longestAnswer = 500;

type Kind = "refused" | "gaveUp";
const kindOf = (reason: string | null): Kind => (reason === "refused" ? "refused" : "gaveUp");

/**
 * Entries that wait for a person, by target: what the external system refused is for those who know the orders, what
 * could not be delivered for those who know the systems. All are counted, and the newest few are told.
 */
export function entryConditions(read: Pick<JournalReader, "deadCounts" | "list" | "attempts">): Condition[] {
  const counts = Map.groupBy(read.deadCounts(), ({ target, reason }) => JSON.stringify([kindOf(reason), target]));
  if (counts.size === 0) return [];
  const newest = Map.groupBy(read.list({ states: ["dead"], limit: mostLookedAt }), ({ target, reason }) =>
    JSON.stringify([kindOf(reason), target ?? ""]),
  );
  return [...counts].map(([key, own]) => {
    // Written a few lines above.
    const [kind, target] = JSON.parse(key) as [Kind, string];
    const count = own.reduce((sum, { entries }) => sum + entries, 0);
    const entries = (newest.get(key) ?? []).slice(0, mostTold).map((entry) => told(entry, read));
    return { kind, subject: target, text: say(`alarms.${kind}`, { target, count }), entries };
  });
}

function told(entry: Entry, read: Pick<JournalReader, "attempts">): AlarmEntry {
  const { seq, id, orders, text, topic, target } = entryView(entry, { showPersonal: false });
  const last = read.attempts(seq).at(-1);
  const said = [last?.status, last?.error, last?.response].filter((part) => part !== undefined && part !== "");
  const lastAnswer = maskPersonal(said.join(": ")).slice(0, longestAnswer);
  return { seq, id, orders, event: text, topic, target: target ?? "", lastAnswer, receivedAt: entry.receivedAt };
}
