import { jsonText, sameJson } from "../../kit/json/same-json.ts";
import { appliedPayload } from "../applied-payload.ts";
import type { EntryState, Handling, NewEntry, OpenEntry, RepeatRule } from "../entry.ts";
import type { Applied, InlineProjection } from "../inline-projection.ts";
import type { Appended } from "../journal.ts";
import { openOf } from "./memory-reader.ts";
import type { ParkingRules, Row, Superseder, Tables, Write } from "./memory-tables.ts";

export interface MemoryNeeds {
  readonly tables: Tables;
  readonly write: Write;
  readonly parking: ParkingRules;
  readonly projection: InlineProjection | null;
  /** The target of messages emitted by an inline projection; null: they are only kept in the journal. */
  readonly emissionTarget: string | null;
  readonly newEntryId: () => string;
  readonly supersede: Superseder;
}

const stateByHandling: Record<Handling, EntryState> = {
  keep: "delivered",
  queue: "accepted",
  pass: "accepted",
  hold: "inflight",
};

export function appender({ tables, write, parking, projection, emissionTarget, newEntryId, supersede }: MemoryNeeds) {
  const { entries, seqById, seqsByLane, lastPosition, latest, counters } = tables;

  const nextSeq = () => (counters.get("lastSeq") ?? 0) + 1;

  const store = (row: Omit<Row, "lanes">, lanes: readonly string[]): Row => {
    const isForOutside = row.state === "accepted" || row.state === "inflight";
    const placed = [...new Set(lanes)].sort().map((lane) => {
      const position = isForOutside ? (lastPosition.get(lane) ?? 0) + 1 : 0;
      if (isForOutside) write(lastPosition, lane, position);
      if (!seqsByLane.has(lane)) write(seqsByLane, lane, new Map());
      write(seqsByLane.get(lane) ?? new Map(), row.seq, true);
      return { lane, position };
    });
    const stored = { ...row, lanes: placed };
    write(entries, row.seq, stored);
    write(seqById, row.id, row.seq);
    write(counters, "lastSeq", row.seq);
    if (stored.state === "accepted") parking.join(stored);
    return stored;
  };

  const apply = (entry: Row | (NewEntry & { seq: number })) => {
    const { id, seq, topic, receivedAt } = entry;
    return projection?.apply({ id, seq, topic, payload: appliedPayload(entry), receivedAt }) ?? null;
  };

  const emitAll = (
    applied: Applied | null,
    cause: Pick<NewEntry, "receivedAt" | "acceptLanguage"> & { trace?: string | null },
  ) =>
    (applied?.emits ?? []).flatMap(({ topic, lanes, payload, target = emissionTarget }): OpenEntry[] => {
      const row = store(
        {
          ...blank,
          seq: nextSeq(),
          id: newEntryId(),
          topic,
          target,
          body: JSON.stringify(payload),
          acceptLanguage: cause.acceptLanguage,
          receivedAt: cause.receivedAt,
          trace: cause.trace ?? null,
          state: target === null ? "delivered" : "accepted",
          isApplied: true,
          isEmitted: true,
        },
        lanes,
      );
      return target === null ? [] : [openOf(row)];
    });

  const latestOf = (lanes: readonly string[], { key, undisturbedIn = [] }: RepeatRule): Row | undefined => {
    const seqs = new Set(lanes.map((lane) => latest.get(keyInLane(lane, key))));
    const [seq] = seqs;
    // Entries that a projection emitted, such as receipts, do not count as something that happened since.
    const isAfter = (lane: string) =>
      [...(seqsByLane.get(lane)?.keys() ?? [])].some((one) => one > (seq ?? 0) && entries.get(one)?.isEmitted !== true);
    if (undisturbedIn.some(isAfter)) return undefined;
    // If the latest entry differs between the lanes, something else happened in one of them.
    return seqs.size === 1 && seq !== undefined ? entries.get(seq) : undefined;
  };

  /** The entry that this one may repeat, and the rule that applies. */
  const duplicateOf = (entry: NewEntry): { duplicate: Row; rule: RepeatRule } | undefined => {
    const { repeat, lanes } = entry;
    for (const rule of [repeat, repeat?.unnamed]) {
      const duplicate = rule === undefined ? undefined : latestOf(lanes, rule);
      if (rule === undefined || duplicate === undefined || (rule !== repeat && duplicate.isNamed)) continue;
      return isSame(duplicate, entry, rule) ? { duplicate, rule } : undefined;
    }
    return undefined;
  };

  /**
   * Continues an entry that was answered with a failure because the target did not answer. Sent again, it keeps its id.
   */
  const resume = (row: Row, handling: Handling, leaseToken: string): Appended => {
    const isHeld = handling === "hold";
    const applied = isHeld || handling === "pass" || row.isApplied ? null : apply(row);
    const outcome = applied?.outcome ?? { ok: true };
    const resumed: Row = {
      ...row,
      state: outcome.ok ? stateByHandling[handling] : "rejected",
      reason: null,
      leaseToken: isHeld ? leaseToken : null,
      isApplied: row.isApplied || !isHeld,
      attempts: row.attempts + (isHeld ? 1 : 0),
      answer: isHeld ? null : JSON.stringify(outcome),
      answeredAt: null,
    };
    write(entries, row.seq, resumed);
    if (resumed.state === "accepted") parking.join(resumed);
    return appended(resumed, applied, emitAll(applied, row), []);
  };

  const append = (entry: NewEntry, leaseToken: string): Appended => {
    const { repeat, handling = "keep" } = entry;
    const before = duplicateOf(entry);
    const same = before?.duplicate;
    if (before !== undefined && isStanding(before.duplicate)) {
      if (before.rule.when === "always" || before.duplicate.answeredAt === null) return repeated(before.duplicate);
    }
    if (same?.state === "rejected" && same.reason === "ambiguous" && handling !== "keep") {
      return resume(same, handling, leaseToken);
    }
    const seq = nextSeq();
    const isHeld = handling === "hold";
    const applied = isHeld || handling === "pass" ? null : apply({ ...entry, seq });
    const outcome = applied?.outcome ?? { ok: true };
    const { id, direction, topic, target = null, body, payload, acceptLanguage, receivedAt } = entry;
    const { sender = null, trace = null } = entry;
    const stated = { supersedes: entry.supersedes ?? null, stateAt: entry.stateAt ?? receivedAt, target };
    const newer = outcome.ok ? supersede.newerThan(stated) : undefined;
    const state = !outcome.ok ? "rejected" : newer === undefined ? stateByHandling[handling] : "discarded";
    const row = store(
      {
        ...blank,
        ...{ seq, id, direction, topic, target, sender, trace, body, payload, acceptLanguage, receivedAt, state },
        isApplied: !isHeld,
        leaseToken: isHeld ? leaseToken : null,
        ...stated,
        isState: stated.supersedes !== null,
        isNamed: repeat?.unnamed !== undefined,
        answer: isHeld ? null : JSON.stringify(outcome),
        suspectOf: same === undefined || !isStanding(same) ? null : same.seq,
      },
      entry.lanes,
    );
    for (const rule of [repeat, repeat?.unnamed]) {
      if (rule !== undefined) for (const lane of entry.lanes) write(latest, keyInLane(lane, rule.key), seq);
    }
    if (newer !== undefined) supersede.end(row, receivedAt, newer.id);
    return appended(row, applied, emitAll(applied, entry), supersede.endOlder(row));
  };

  return { append, apply, emitAll };
}

const keyInLane = (lane: string, key: string) => JSON.stringify([lane, key]);

const blank: Omit<Row, "lanes"> = {
  seq: 0,
  id: "",
  direction: "out",
  topic: "",
  target: null,
  sender: null,
  trace: null,
  body: "",
  payload: null,
  acceptLanguage: null,
  receivedAt: 0,
  state: "delivered",
  reason: null,
  attempts: 0,
  targetFailures: 0,
  nextAt: null,
  answer: null,
  answeredAt: null,
  deliveredAt: null,
  suspectOf: null,
  replays: 0,
  isState: false,
  leaseToken: null,
  leasedAt: null,
  supersedes: null,
  stateAt: 0,
  isNamed: false,
  isEmitted: false,
  isApplied: false,
};

const appended = (
  row: Row,
  applied: Applied | null,
  emitted: readonly OpenEntry[],
  superseded: readonly number[],
): Appended => ({
  id: row.id,
  seq: row.seq,
  state: row.state,
  outcome: applied?.outcome ?? { ok: true },
  touched: applied?.touched ?? false,
  suspectOf: row.suspectOf,
  emitted,
  open: row.state === "accepted" ? openOf(row) : null,
  superseded,
});

const repeated = ({ seq, state, answer }: Row): Appended => ({
  repeatOf: seq,
  state,
  outcome: answer === null ? null : JSON.parse(answer),
  touched: false,
});

function isSame(before: Row, entry: NewEntry, { windowMs }: RepeatRule): boolean {
  if (before.topic !== entry.topic || entry.receivedAt - before.receivedAt > windowMs) return false;
  if (entry.direction === "in") {
    const isThere = before.body !== "" && before.target === (entry.target ?? null);
    return isThere && sameJson(jsonText(before.payload ?? before.body), jsonText(entry.payload ?? entry.body));
  }
  return sameJson(jsonText(entry.body), jsonText(before.body));
}

const isStanding = ({ state, direction }: Row): boolean =>
  state !== "rejected" && !(state === "discarded" && direction === "in");
