import type { Entry, OpenEntry } from "../entry.ts";
import type { EntryFilter, JournalReader } from "../journal.ts";
import { isWaiting, type ParkingRules, type Row, type Tables } from "./memory-tables.ts";

export function memoryReader(tables: Tables, parking: ParkingRules): JournalReader {
  const { entries, seqById, attempts, audit, parked, counters } = tables;
  const find = (seqOrId: number | string): Entry | null => {
    const row = entries.get(typeof seqOrId === "number" ? seqOrId : (seqById.get(seqOrId) ?? -1));
    return row === undefined ? null : entryOf(row);
  };
  return {
    entry: find,
    entryInTurns: async (seqOrId) => find(seqOrId),
    brief: (seqOrId) => {
      const entry = find(seqOrId);
      return entry === null ? null : briefOf(entry);
    },
    attempts: (seq) => (attempts.get(seq) ?? []).map(({ exchanges: _exchanges, ...attempt }) => attempt),
    latestAttempt: (seq) => {
      const latest = attempts.get(seq)?.at(-1);
      if (latest === undefined) return null;
      const { exchanges: _exchanges, ...attempt } = latest;
      return attempt;
    },
    exchanges: (seq) =>
      new Map(
        (attempts.get(seq) ?? []).flatMap(({ n, exchanges }) => (exchanges === undefined ? [] : [[n, exchanges]])),
      ),
    progress: (seq) => tables.progress.get(seq) ?? new Map(),
    audit: (seq) => audit.get(seq) ?? [],
    list: (filter) =>
      [...entries.values()]
        .filter((row) => isWanted(row, filter))
        .sort((a, b) => b.seq - a.seq)
        .slice(0, filter.limit)
        .map(entryOf)
        .map((entry) => (filter.isBrief && filter.text === undefined ? briefOf(entry) : entry)),
    open: (afterSeq, limit) => {
      const found: OpenEntry[] = [];
      const lastSeq = counters.get("lastSeq") ?? 0;
      for (let seq = afterSeq + 1; seq <= lastSeq && found.length < limit; seq++) {
        const row = entries.get(seq);
        if (row !== undefined && isWaiting(row.state) && !parking.isParked(row)) found.push(openOf(row));
      }
      return found;
    },
    counts: () => {
      const counts = { accepted: 0, inflight: 0, retry: 0, delivered: 0, rejected: 0, dead: 0, discarded: 0 };
      for (const { state } of entries.values()) counts[state]++;
      return counts;
    },
    deadCounts: () => {
      const dead = [...entries.values()].filter(({ state }) => state === "dead");
      const groups = Map.groupBy(dead, ({ target, reason }) => JSON.stringify([target ?? "", reason ?? ""]));
      return [...groups]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, [first, ...more]]) => ({
          target: first?.target ?? "",
          reason: first?.reason ?? "",
          entries: more.length + 1,
        }));
    },
    lanesLike: (beginning, limit) =>
      [...new Set([...entries.values()].flatMap(({ lanes }) => lanes.map(({ lane }) => lane)))]
        .filter((lane) => lane.startsWith(beginning))
        .sort()
        .slice(0, limit),
    heldBy: (lane) => {
      const dead = [...parked.values()].filter((parking) => parking.lane === lane).map(({ deadSeq }) => deadSeq);
      return dead.length === 0 ? null : Math.min(...dead);
    },
  };
}

const briefOf = (entry: Entry): Entry => ({ ...entry, body: "", payload: null, answer: null });

function isWanted(row: Row, filter: EntryFilter): boolean {
  const { lane, lanes, topic, direction, states, text, receivedFrom, receivedTo, beforeSeq } = filter;
  return (
    (lane === undefined || row.lanes.some((own) => own.lane === lane)) &&
    (lanes === undefined || row.lanes.some((own) => lanes.includes(own.lane))) &&
    (topic === undefined || row.topic === topic) &&
    (direction === undefined || row.direction === direction) &&
    (states === undefined || states.includes(row.state)) &&
    (text === undefined || row.body.toLowerCase().includes(text.toLowerCase())) &&
    (receivedFrom === undefined || row.receivedAt >= receivedFrom) &&
    (receivedTo === undefined || row.receivedAt <= receivedTo) &&
    (beforeSeq === undefined || row.seq < beforeSeq)
  );
}

export function entryOf({
  leaseToken: _token,
  leasedAt: _leasedAt,
  isApplied: _applied,
  supersedes: _key,
  stateAt: _at,
  isNamed: _named,
  isEmitted: _emitted,
  ...entry
}: Row): Entry {
  return entry;
}

export const openOf = ({ seq, id, topic, target, lanes, attempts, receivedAt, nextAt }: Row): OpenEntry => ({
  seq,
  id,
  topic,
  target: target ?? "",
  lanes: lanes.map(({ lane }) => lane),
  attempts,
  receivedAt,
  nextAt: nextAt ?? 0,
});
