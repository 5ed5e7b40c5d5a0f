import { writeFile } from "node:fs/promises";
import { type Attempt, type EntryState, interrupted, type NewEntry } from "../entry.ts";
import {
  type IdempotencyRecord,
  type IdempotentCall,
  idempotencyWindowMs,
  maxIdempotencyRecords,
} from "../idempotency-record.ts";
import type { InlineProjection } from "../inline-projection.ts";
import {
  type Appended,
  hasNews,
  type IdempotentAppend,
  type Journal,
  JournalFailed,
  type Moved,
  noTrouble,
} from "../journal.ts";
import { unpackEntries } from "../packed-entry.ts";
import { idPiece, type StagedOutcome, type Staging } from "../staging.ts";
import { appender } from "./memory-append.ts";
import { deliveries, personActions } from "./memory-delivery.ts";
import { memoryReader } from "./memory-reader.ts";
import { copyOf, emptyTables, parking, superseder, type Tables, type Write } from "./memory-tables.ts";

export interface MemoryJournalOptions {
  /** The content of an earlier journal, to be opened again. */
  readonly tables?: Tables;
  /**
   * Opens the inline projection. It must write with the given function, so that its writes are rolled back with their
   * entry.
   */
  readonly openProjection?: (write: Write) => InlineProjection;
  readonly emissionTarget?: string;
  /** Called with a consistent copy when a backup is made; the file gets the entries as JSON in any case. */
  readonly onBackup?: (copy: Tables, file: string) => void;
}

const finished: readonly EntryState[] = ["delivered", "rejected", "discarded"];

/**
 * Opens a journal in plain maps that is not persistent. It is the reference that other implementations are compared
 * with.
 */
export function openMemoryJournal(options: MemoryJournalOptions = {}): Journal {
  const tables = options.tables ?? emptyTables();
  const { entries } = tables;
  const { write, run } = transactions();
  const rules = parking(tables, write);
  const needs = {
    tables,
    write,
    parking: rules,
    supersede: superseder(tables, write),
    projection: options.openProjection?.(write) ?? null,
    emissionTarget: options.emissionTarget ?? null,
    newEntryId: () => `evt_emitted_${(tables.counters.get("lastSeq") ?? 0) + 1}`,
  };
  const { append, ...more } = appender(needs);
  const { start, settle, note } = deliveries({ ...needs, ...more });
  const act = personActions(needs);
  const idempotency = idempotencyRecords(needs);
  let isClosed = false;
  let onMoved: (moved: Moved) => void = () => {};

  // Leases of an earlier process are void at once, because their holders are gone.
  for (const row of entries.values()) {
    if (row.state !== "inflight") continue;
    entries.set(row.seq, { ...row, state: "retry", nextAt: null, leaseToken: null });
    const earlier = tables.attempts.get(row.seq) ?? [];
    const at = row.leasedAt ?? row.receivedAt;
    const cut = { ...interrupted, n: earlier.length + 1, startedAt: at, endedAt: at };
    tables.attempts.set(row.seq, [...earlier, cut]);
  }

  const commit = <T>(work: () => T): Promise<T> =>
    isClosed ? Promise.reject(new JournalFailed("the journal is closed")) : run(work);

  const erase = (seq: number) => {
    const row = entries.get(seq);
    for (const { lane } of row?.lanes ?? []) write(tables.seqsByLane.get(lane) ?? new Map(), seq, undefined);
    if (row !== undefined) write(tables.seqById, row.id, undefined);
    write(tables.attempts, seq, undefined);
    write(tables.progress, seq, undefined);
    const byPersons = tables.audit.get(seq)?.filter(({ action }) => action !== "supersede") ?? [];
    write(tables.audit, seq, byPersons.length === 0 ? undefined : byPersons);
    write(entries, seq, undefined);
  };

  return {
    append: (added, leaseToken = "") => commit(() => added.map((entry) => append(entry, leaseToken))),
    appendIdempotent: (call, added) => commit(() => idempotency(call, added, (entry) => append(entry, ""))),
    stage: memoryStaging({
      commit,
      append: (entry) => append(entry, ""),
      idempotency,
      tables,
      onMoved: (moved) => onMoved(moved),
    }),
    onMoved: (listener) => {
      onMoved = listener;
    },
    isCatchingUp: () => false,
    recall: idempotencyFinder(tables),
    start: (seq, token, at) => commit(() => start(seq, token, at ?? null)),
    note: (lease, marks) => commit(() => note(lease, marks)),
    settle: (lease, verdict, attempt, answer) => commit(() => settle(lease, verdict, attempt, answer)),
    // No later process could read the note.
    noteWritten: () => {},
    markAnswered: (seq, at) => {
      const row = entries.get(seq);
      if (row !== undefined) entries.set(seq, { ...row, answeredAt: at });
    },
    takeBackAnswered: (seq, at) => {
      const row = entries.get(seq);
      if (row?.answeredAt === at) entries.set(seq, { ...row, answeredAt: null });
    },
    act: (seq, action, operator, at) => commit(() => act(seq, action, operator, at)),
    prune: ({ bodiesBefore, entriesBefore, batch }) =>
      commit(() => {
        const done = [...entries.values()].filter(({ state }) => finished.includes(state));
        const old = done.filter(({ receivedAt }) => receivedAt < entriesBefore).slice(0, batch);
        for (const { seq } of old) erase(seq);
        const bodies = done
          .filter(({ seq, receivedAt, body }) => entries.has(seq) && receivedAt < bodiesBefore && body !== "")
          .slice(0, batch);
        for (const row of bodies) {
          write(entries, row.seq, { ...row, body: "", payload: null });
          write(tables.progress, row.seq, undefined);
          const tried = tables.attempts.get(row.seq);
          if (tried !== undefined) write(tables.attempts, row.seq, tried.map(withoutContent));
        }
        return old.length + bodies.length;
      }),
    backup: async (file) => {
      const copy = copyOf(tables);
      options.onBackup?.(copy, file);
      await writeFile(file, JSON.stringify([...copy.entries.values()]));
    },
    read: memoryReader(tables, rules),
    failure: () => null,
    trouble: () => noTrouble,
    close: async () => {
      isClosed = true;
    },
  };
}

const withoutContent = <One extends Attempt>({ exchanges: _exchanges, response: _response, ...rest }: One) => rest;

interface Transactions {
  readonly write: Write;
  /** Runs the work completely, or rolls it back completely. */
  readonly run: <T>(work: () => T) => Promise<T>;
}

/** Records how to undo each write of the running transaction. */
function transactions(): Transactions {
  let undo: (() => void)[] = [];
  return {
    write: (map, key, value) => {
      const before = map.get(key);
      undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
      if (value === undefined) map.delete(key);
      else map.set(key, value);
    },
    run: async (work) => {
      undo = [];
      try {
        return work();
      } catch (error) {
        for (const back of undo.reverse()) back();
        throw new JournalFailed(error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
  };
}

function idempotencyFinder({
  idempotency: records,
}: Tables): (keys: readonly string[], at: number) => IdempotencyRecord | null {
  return (keys, at) => {
    const found = keys.map((key) => records.get(key));
    return found.find((record) => record !== undefined && at - record.at <= idempotencyWindowMs) ?? null;
  };
}

function idempotencyRecords({ tables, write }: { tables: Tables; write: Write }) {
  const { idempotency: records, entries: rows } = tables;
  const find = idempotencyFinder(tables);
  return (
    { keys, digest, at, note }: IdempotentCall,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ): IdempotentAppend => {
    const known = find(keys, at);
    if (known !== null) return { known };
    const appended = entries.map(append);
    const ids = appended.map((one) => ("id" in one ? one.id : (rows.get(one.repeatOf)?.id ?? "")));
    const unchanged = appended.filter((one) => "repeatOf" in one).length;
    for (const key of keys) {
      // Deleted before it is set: a map keeps the position of a known key, and the oldest must come first.
      write(records, key, undefined);
      write(records, key, { digest, at, note, ids, unchanged });
    }
    let tooMany = records.size - maxIdempotencyRecords;
    for (const [key, record] of records) {
      if (at - record.at <= idempotencyWindowMs && tooMany <= 0) break;
      write(records, key, undefined);
      tooMany--;
    }
    return { appended, ids, unchanged };
  };
}

/** Stages a call in chunks. The chunks are held separately, and all become entries at once. */
function memoryStaging(needs: {
  readonly commit: <T>(work: () => T) => Promise<T>;
  readonly append: (entry: NewEntry) => Appended;
  readonly idempotency: (
    idempotency: IdempotentCall,
    entries: readonly NewEntry[],
    append: (entry: NewEntry) => Appended,
  ) => IdempotentAppend;
  readonly tables: Tables;
  readonly onMoved: (moved: Moved) => void;
}): () => Staging {
  const { commit, append, idempotency: runOnce, tables, onMoved } = needs;
  const stored = (entries: readonly NewEntry[]) => {
    const appended = entries.map(append);
    const ids = appended.map((one) => ("id" in one ? one.id : (tables.entries.get(one.repeatOf)?.id ?? "")));
    return { appended, ids, unchanged: appended.filter((one) => "repeatOf" in one).length };
  };
  return () => {
    let staged: NewEntry[] = [];
    return {
      add: async ({ chunks }) => {
        staged = [...staged, ...chunks.flatMap(unpackEntries)];
      },
      commit: async (idempotency): Promise<StagedOutcome> => {
        const done = await commit(() => (idempotency === null ? stored(staged) : runOnce(idempotency, staged, append)));
        if ("known" in done) return { isKnown: true };
        const { appended, ids, unchanged } = done;
        onMoved({ appended: appended.filter(hasNews), touched: appended.some(({ touched }) => touched) });
        return { idPieces: [idPiece(ids)], count: ids.length, unchanged };
      },
      drop: () => {
        staged = [];
      },
    };
  };
}
