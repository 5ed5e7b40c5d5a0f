import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { say } from "../../messages/message.ts";
import { entryView } from "../overview/entry-view.ts";
import { maskPersonal } from "../overview/mask-personal.ts";
import type { AlarmEntry, Condition } from "./alarm.ts";

/** So many are looked at: nobody reads more, and each look costs. */
const mostCounted = 100;
const mostTold = 5;
const longestAnswer = 500;

/**
 * Entries that wait for a person, by target: what the external system refused is for those who know the orders, what
 * could not be delivered for those who know the systems.
 */
export function entryConditions(read: Pick<JournalReader, "counts" | "list" | "attempts">): Condition[] {
  if (read.counts().dead === 0) return [];
  const groups = new Map<string, { kind: "refused" | "gaveUp"; target: string; entries: Entry[] }>();
  for (const entry of read.list({ states: ["dead"], limit: mostCounted })) {
    const kind = entry.reason === "refused" ? "refused" : "gaveUp";
    const target = entry.target ?? "";
    const key = `${kind}\n${target}`;
    const group = groups.get(key) ?? { kind, target, entries: [] };
    group.entries.push(entry);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ kind, target, entries }) => ({
    kind,
    subject: target,
    text: say(`alarms.${kind}`, { target, count: entries.length }),
    entries: entries.slice(0, mostTold).map((entry) => told(entry, read)),
  }));
}

function told(entry: Entry, read: Pick<JournalReader, "attempts">): AlarmEntry {
  const { seq, id, orders, text, topic, target } = entryView(entry, { showPersonal: false });
  const last = read.attempts(seq).at(-1);
  const said = [last?.status, last?.error, last?.response].filter((part) => part !== undefined && part !== "");
  const lastAnswer = maskPersonal(said.join(": ")).slice(0, longestAnswer);
  return { seq, id, orders, event: text, topic, target: target ?? "", lastAnswer, receivedAt: entry.receivedAt };
}
