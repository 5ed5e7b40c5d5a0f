import type { Attempt, Entry, EntryState } from "../entry.ts";
import type { AuditRecord } from "../journal.ts";
import type { OnceRecord } from "../once.ts";

/** An entry with what only the journal itself knows. */
export interface Row extends Omit<Entry, "lanes"> {
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  readonly leaseToken: string | null;
  /** The state it is about, where only the newest is worth sending. */
  readonly supersedes: string | null;
  /** The moment that state is of. */
  readonly stateAt: number;
  /** Whether its sender has named it. */
  readonly isNamed: boolean;
  /** Whether the resident has booked it. */
  readonly isApplied: boolean;
}

/** Entries of the lane after `seq` wait for the dead one. */
export interface Parking {
  readonly lane: string;
  readonly seq: number;
  readonly deadSeq: number;
}

/** Writes a value, or takes it away with undefined; undone if the transaction fails. */
export type Write = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined) => void;

/** Everything the journal knows. Rows are replaced, never changed, so that a failed transaction can put them back. */
export interface Tables {
  readonly entries: Map<number, Row>;
  readonly seqById: Map<string, number>;
  readonly seqsByLane: Map<string, Map<number, true>>;
  readonly lastPosition: Map<string, number>;
  /** The latest entry under each key by which a repeat is recognised. */
  readonly latest: Map<string, number>;
  /** Entries that were queued under a key of which only the newest counts, and may still count. */
  readonly queuedUnder: Map<string, readonly number[]>;
  readonly parked: Map<string, Parking>;
  readonly attempts: Map<number, readonly (Attempt & { readonly n: number; readonly outcome: string })[]>;
  readonly audit: Map<number, readonly AuditRecord[]>;
  /** Calls by their names, the oldest first. */
  readonly once: Map<string, OnceRecord>;
  readonly counters: Map<"lastSeq", number>;
}

export const emptyTables = (): Tables => ({
  entries: new Map(),
  seqById: new Map(),
  seqsByLane: new Map(),
  lastPosition: new Map(),
  latest: new Map(),
  queuedUnder: new Map(),
  parked: new Map(),
  attempts: new Map(),
  audit: new Map(),
  once: new Map(),
  counters: new Map([["lastSeq", 0]]),
});

/** Waiting for a delivery, and not in one. */
export const isWaiting = (state: EntryState): boolean => state === "accepted" || state === "retry";

/** A consistent copy: rows never change, so copying the maps is enough. */
export const copyOf = (tables: Tables): Tables => ({
  entries: new Map(tables.entries),
  seqById: new Map(tables.seqById),
  seqsByLane: new Map([...tables.seqsByLane].map(([lane, seqs]) => [lane, new Map(seqs)])),
  lastPosition: new Map(tables.lastPosition),
  latest: new Map(tables.latest),
  queuedUnder: new Map(tables.queuedUnder),
  parked: new Map(tables.parked),
  attempts: new Map(tables.attempts),
  audit: new Map(tables.audit),
  once: new Map(tables.once),
  counters: new Map(tables.counters),
});
