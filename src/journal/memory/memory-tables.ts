import { type Attempt, type Entry, type EntryState, superseded } from "../entry.ts";
import type { IdempotencyRecord } from "../idempotency-record.ts";
import { type AuditRecord, ownName } from "../journal.ts";

/** An entry with fields that only the journal uses. */
export interface Row extends Omit<Entry, "lanes"> {
  readonly lanes: readonly { readonly lane: string; readonly position: number }[];
  readonly leaseToken: string | null;
  readonly leasedAt: number | null;
  /** The key of the state, if only the newest is sent. */
  readonly supersedes: string | null;
  /** The time of that state. */
  readonly stateAt: number;
  /** Whether the sender gave the entry an idempotency key. */
  readonly isNamed: boolean;
  /** Whether the inline projection has emitted the entry. */
  readonly isEmitted: boolean;
  /** Whether the inline projection has applied the entry. */
  readonly isApplied: boolean;
}

/** Marks that entries of the lane after `seq` wait for the dead entry. */
export interface Parking {
  readonly lane: string;
  readonly seq: number;
  readonly deadSeq: number;
}

/** Sets a value, or deletes it with undefined; undone if the transaction fails. */
export type Write = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined) => void;

/** All data of the journal. Rows are replaced, never changed, so that a failed transaction can restore them. */
export interface Tables {
  readonly entries: Map<number, Row>;
  readonly seqById: Map<string, number>;
  readonly seqsByLane: Map<string, Map<number, true>>;
  readonly lastPosition: Map<string, number>;
  /** The latest entry under each key by which a repeat is recognised. */
  readonly latest: Map<string, number>;
  /** Entries queued under a key of which only the newest is sent, while they may still matter. */
  readonly queuedUnder: Map<string, readonly number[]>;
  readonly parked: Map<string, Parking>;
  readonly attempts: Map<number, readonly (Attempt & { readonly n: number; readonly outcome: string })[]>;
  readonly progress: Map<number, ReadonlyMap<string, string>>;
  readonly audit: Map<number, readonly AuditRecord[]>;
  /** Calls by their idempotency keys, the oldest first. */
  readonly idempotency: Map<string, IdempotencyRecord>;
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
  progress: new Map(),
  audit: new Map(),
  idempotency: new Map(),
  counters: new Map([["lastSeq", 0]]),
});

/** Whether an entry with this state waits for a delivery and is not in flight. */
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
  progress: new Map(tables.progress),
  audit: new Map(tables.audit),
  idempotency: new Map(tables.idempotency),
  counters: new Map(tables.counters),
});

type State = Pick<Row, "supersedes" | "stateAt" | "target">;

/**
 * Sends only the newest of several states: ends those that wait or were refused, and finds a newer one that ends this
 * one.
 */
export function superseder({ entries, queuedUnder, audit }: Tables, write: Write) {
  const keyOf = ({ target, supersedes }: State) => JSON.stringify([target, supersedes]);
  const rowsOf = (state: State): Row[] =>
    state.supersedes === null || state.target === null
      ? []
      : (queuedUnder.get(keyOf(state)) ?? []).flatMap((seq) => entries.get(seq) ?? []);
  const isStanding = ({ state }: Row) => state !== "discarded" && state !== "rejected";

  /** Ends one entry, with an audit record that names the newer one. */
  const end = (row: Row, at: number, byId: string): Row => {
    const ended: Row = { ...row, state: "discarded", reason: superseded, nextAt: null };
    write(entries, row.seq, ended);
    const record = { operator: ownName, action: "supersede", reason: byId, before: null } as const;
    write(audit, row.seq, [...(audit.get(row.seq) ?? []), { seq: row.seq, at, ...record }]);
    return ended;
  };

  return {
    end,
    /** Registers a newly queued state, and ends waiting or refused ones under its key; returns those. */
    endOlder: (newer: Row): readonly number[] => {
      if (newer.supersedes === null || newer.target === null || newer.state !== "accepted") return [];
      const known = rowsOf(newer);
      const older = known.filter(
        ({ state, stateAt }) => (isWaiting(state) || state === "dead") && stateAt <= newer.stateAt,
      );
      for (const row of older) end(row, newer.receivedAt, newer.id);
      const ended = older.map(({ seq }) => seq);
      const left = known.filter(({ seq, state }) => state !== "discarded" && !ended.includes(seq));
      write(queuedUnder, keyOf(newer), [...left.map(({ seq }) => seq), newer.seq]);
      return ended;
    },
    /** A state of a later time that is waiting, refused, in flight or delivered. */
    newerThan: (state: State): Row | undefined =>
      rowsOf(state)
        .filter((row) => isStanding(row) && row.stateAt > state.stateAt)
        .at(-1),
    /** A newer state than a stored one. Of two states of the same time, the one that came later is newer. */
    newerThanStored: (stored: Row): Row | undefined =>
      rowsOf(stored)
        .filter((row) => isStanding(row) && row.seq !== stored.seq)
        .filter(({ stateAt, seq }) => stateAt > stored.stateAt || (stateAt === stored.stateAt && seq > stored.seq))
        .at(-1),
  };
}

export type Superseder = ReturnType<typeof superseder>;

/**
 * Tracks which lanes wait for which dead entry. An entry that waits in one lane also blocks later entries of its other
 * lanes: a container that is to be released from order A must not be attached to order B first.
 */
export function parking(tables: Tables, write: Write) {
  const { entries, parked, seqsByLane } = tables;

  const setLane = (lane: string, seq: number, deadSeq: number): boolean => {
    const key = `${deadSeq} ${lane}`;
    if ((parked.get(key)?.seq ?? Number.POSITIVE_INFINITY) <= seq) return false;
    write(parked, key, { lane, seq, deadSeq });
    return true;
  };

  const waitingAfter = (lane: string, seq: number): Row[] =>
    [...(seqsByLane.get(lane)?.keys() ?? [])]
      .flatMap((other) => entries.get(other) ?? [])
      .filter((row) => row.seq > seq && isWaiting(row.state));

  /** Parks the lanes of a dead entry, and the lanes of all entries that must wait for it. */
  const park = (deadSeq: number) => {
    const reached = new Set([deadSeq]);
    for (const seq of reached) {
      for (const { lane } of entries.get(seq)?.lanes ?? []) {
        if (setLane(lane, seq, deadSeq)) for (const row of waitingAfter(lane, seq)) reached.add(row.seq);
      }
    }
  };

  const deadBefore = (row: Row): number[] =>
    [...parked.values()]
      .filter(({ lane, seq }) => seq < row.seq && row.lanes.some((own) => own.lane === lane))
      .map(({ deadSeq }) => deadSeq);

  return {
    park,
    isParked: (row: Row) => deadBefore(row).length > 0,
    /** Parks a new waiting entry if one of its lanes is parked before it. */
    join: (row: Row) => {
      for (const deadSeq of deadBefore(row)) for (const { lane } of row.lanes) setLane(lane, row.seq, deadSeq);
    },
    /** The dead entries that concern these lanes. */
    deadOf: (row: Row): Set<number> => {
      const lanes = new Set(row.lanes.map(({ lane }) => lane));
      return new Set([...parked.values()].filter(({ lane }) => lanes.has(lane)).map(({ deadSeq }) => deadSeq));
    },
    waitingFor: (deadSeq: number): Row[] =>
      [...parked.values()]
        .filter((parking) => parking.deadSeq === deadSeq)
        .flatMap(({ lane, seq }) => waitingAfter(lane, seq)),
    /** Unparks what waits for the entry, and parks it again if the entry is still dead. */
    parkAgain: (deadSeq: number) => {
      for (const [key, parking] of [...parked]) if (parking.deadSeq === deadSeq) write(parked, key, undefined);
      if (entries.get(deadSeq)?.state === "dead") park(deadSeq);
    },
  };
}

export type ParkingRules = ReturnType<typeof parking>;
