import { type PushProgress, type PushState, pushTopics } from "../../contract/pushes.ts";
import { type Entry, superseded } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";

/** Null if there is no such push. */
export function pushProgress(read: JournalReader, id: string): PushProgress | null {
  const entry = read.entry(id);
  const topic = pushTopics.find((one) => one === entry?.topic);
  if (entry === null || topic === undefined || entry.direction !== "in") return null;
  const state = stateOf(entry);
  const newer = state === "superseded" ? read.audit(entry.seq).findLast(({ action }) => action === "supersede") : null;
  return {
    id: entry.id,
    topic,
    state,
    receivedAt: isoTime(entry.receivedAt),
    deliveredAt: entry.deliveredAt === null ? null : isoTime(entry.deliveredAt),
    attempts: entry.attempts + entry.targetFailures,
    nextAttemptAt: entry.nextAt === null ? null : isoTime(entry.nextAt),
    lastStatus: entry.target === null ? null : (read.attempts(entry.seq).at(-1)?.status ?? null),
    supersededBy: newer?.reason ?? null,
  };
}

function stateOf({ state, target, reason }: Entry): PushState {
  switch (state) {
    case "accepted":
    case "retry":
      return "waiting";
    case "inflight":
      return "sending";
    case "delivered":
      return target === null ? "stored" : "delivered";
    case "dead":
      return reason === "refused" ? "refused" : "failed";
    case "discarded":
      return reason === superseded ? "superseded" : "skipped";
    case "rejected":
      return "rejected";
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
