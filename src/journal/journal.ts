import type { Attempt, Entry, EntryState, Exchange, NewEntry, OpenEntry, Verdict } from "./entry.ts";
import type { IdempotencyRecord, IdempotentCall } from "./idempotency-record.ts";
import type { Applied, AppliedOutcome } from "./inline-projection.ts";
import type { Staging } from "./staging.ts";

/** The result of appending an entry. */
export type Appended =
  | (Applied & {
      readonly id: string;
      readonly seq: number;
      readonly state: EntryState;
      /**
       * Seq of an earlier entry with the same content whose answer had arrived: possibly a repeat, but stored anyway.
       */
      readonly suspectOf: number | null;
      /** Entries created by this one, such as receipts; they must be queued too. */
      readonly emitted: readonly OpenEntry[];
      /** What the outbox needs of a queued entry; null for other entries. */
      readonly open: OpenEntry | null;
      /** Waiting entries that ended because of this one. */
      readonly superseded: readonly number[];
    })
  | {
      /** Nothing was stored: the platform sent an earlier entry again. */
      readonly repeatOf: number;
      readonly state: EntryState;
      /** The outcome of that entry; null while it is still being delivered. */
      readonly outcome: AppliedOutcome | null;
      readonly touched: false;
    };

/** Whether the outbox or another listener has to be told about the result. */
export const hasNews = (one: Appended): boolean =>
  "seq" in one && (one.open !== null || one.emitted.length > 0 || one.superseded.length > 0);

/** Called when some entries of a committed call are in the journal. */
export interface Moved {
  /** The results that have effects: entries to deliver, or entries that ended. */
  readonly appended: readonly Appended[];
  readonly touched: boolean;
}

/** The result of a call with idempotency keys. */
export type IdempotentAppend =
  /** The call was made before: nothing was stored. */
  | { readonly known: IdempotencyRecord }
  | ({ readonly appended: readonly Appended[] } & Pick<IdempotencyRecord, "ids" | "unchanged">);

/** Only the holder of the token may settle the entry. */
export interface Lease {
  readonly seq: number;
  readonly token: string;
}

/** How far a delivery came, as the connector itself writes it, under a key of the connector. */
export interface ProgressNote {
  readonly key: string;
  readonly value: string;
}

export type PersonAction =
  | { readonly action: "retry"; readonly reason?: string }
  | { readonly action: "edit"; readonly body: string; readonly reason: string }
  | { readonly action: "skip"; readonly reason: string }
  | { readonly action: "replay"; readonly reason: string };

/** The limit of released entries that are returned; if the list has this length, `open` finds the rest. */
export const mostReleased = 1000;

export interface EntryFilter {
  readonly lane?: string;
  /** Entries in at least one of these lanes. */
  readonly lanes?: readonly string[];
  readonly topic?: string;
  readonly direction?: "out" | "in";
  readonly states?: readonly EntryState[];
  /** Found anywhere in the body: an item, an operator, an ERP id. */
  readonly text?: string;
  readonly receivedFrom?: number;
  readonly receivedTo?: number;
  readonly beforeSeq?: number;
  /**
   * Returns entries with empty bodies and no answers, for readers that need neither: a thousand steps of a long order
   * have gigabytes.
   */
  readonly isBrief?: boolean;
  readonly limit: number;
}

export interface AuditRecord {
  readonly seq: number;
  readonly at: number;
  readonly operator: string;
  /** `supersede` is an action of the journal itself; its reason is the id of the newer entry. */
  readonly action: PersonAction["action"] | "supersede";
  readonly reason: string | null;
  /** The body before an edit. */
  readonly before: string | null;
}

/** The operator's name in the audit for actions of the journal itself. */
export const ownName = "crossdock";

/**
 * The durable list of entries: journal, queue, dead-letter store and audit in one. Every call commits completely or not
 * at all.
 */
export interface Journal {
  /**
   * Stores entries. Resolves after the commit: all entries of the call are on disk with their effects, or none is. Held
   * entries are leased to the given token.
   */
  readonly append: (entries: readonly NewEntry[], leaseToken?: string) => Promise<readonly Appended[]>;
  /** Appends a call with idempotency keys: if one is known, nothing is stored. No entry may be held. */
  readonly appendIdempotent: (idempotency: IdempotentCall, entries: readonly NewEntry[]) => Promise<IdempotentAppend>;
  /** Begins a call that is too long for one commit. No entry may be held. */
  readonly stage: () => Staging;
  /**
   * Called with every part of a staged call when that part is in the journal, in the order of the commits. Register it
   * before the first such call, because calls that an earlier process did not finish continue from then on.
   */
  readonly onMoved: (listener: (moved: Moved) => void) => void;
  /** Whether a staged call continues without its caller. A new push could be overtaken by it. */
  readonly isCatchingUp: () => boolean;
  /** The earlier result for these keys, without waiting for the writer; null if there is none. */
  readonly recall: (keys: readonly string[], at: number) => IdempotencyRecord | null;
  /**
   * Takes a lease on an entry for one attempt. Null if it is no longer open, is leased by another, or is parked. With
   * the same token it returns the same lease, so a caller that got no answer may repeat the call.
   */
  readonly start: (seq: number, token: string, at?: number) => Promise<Entry | null>;
  /**
   * Stores how far the delivery came, before it continues. The same key again replaces the earlier note. False if the
   * lease is no longer valid: then nothing was stored, and nothing more may be sent. The notes are deleted when the
   * entry is delivered.
   */
  readonly note: (lease: Lease, marks: readonly ProgressNote[]) => Promise<boolean>;
  /**
   * Ends the attempt. A held entry that was delivered or accepted for later is applied in the same transaction. `done`
   * is false if the lease is no longer valid: then nothing was changed.
   */
  readonly settle: (lease: Lease, verdict: Verdict, attempt: Attempt | null, answer?: string) => Promise<Settled>;
  /**
   * Notes that the operating system has an answer; null notes that it did not arrive. The note survives the end of the
   * process but not a power cut: if the process is killed before the mark is stored, the next process restores the mark
   * from the note.
   */
  readonly noteWritten: (seq: number, at: number | null) => void;
  /** Marks an answer as written completely. Stored with the next batch; until then `noteWritten` covers a crash. */
  readonly markAnswered: (seq: number, at: number) => void;
  /**
   * Removes exactly that mark, because the answer turned out not to have been read. A later mark of the entry stays.
   */
  readonly takeBackAnswered: (seq: number, at: number) => void;
  /**
   * Applies an operator's action on an entry and stores its audit record. Returns the entries released by it: the
   * entry itself if it is open, and those that waited behind it, at most `mostReleased`. Null if the entry's state
   * does not allow it.
   */
  readonly act: (
    seq: number,
    action: PersonAction,
    operator: string,
    at: number,
  ) => Promise<readonly OpenEntry[] | null>;
  /** Deletes what retention allows, in small batches between commits; returns the number of deleted entries. */
  readonly prune: (limits: { bodiesBefore: number; entriesBefore: number; batch: number }) => Promise<number>;
  /** Makes a consistent copy without stopping the journal. */
  readonly backup: (file: string) => Promise<void>;
  /** Why nothing can be written until a restart; null while the journal works. */
  readonly failure: () => string | null;
  /** Results of the last writes and reads. */
  readonly trouble: () => JournalTrouble;
  readonly read: JournalReader;
  readonly close: () => Promise<void>;
}

export interface JournalTrouble {
  /** Why the disk refused the last write; null if it was stored, or nothing was written yet. */
  readonly refused: string | null;
  /** Why the file counts as damaged. It stays set until a restart, which checks the file. */
  readonly damage: string | null;
}

export const noTrouble: JournalTrouble = { refused: null, damage: null };

export interface Settled {
  readonly done: boolean;
  /** The result of the inline projection, if it ran. */
  readonly applied: Applied | null;
  readonly emitted: readonly OpenEntry[];
}

export interface DeadCount {
  readonly target: string;
  readonly reason: string;
  readonly entries: number;
}

export interface AttemptRecord extends Omit<Attempt, "exchanges"> {
  /** Counted from 1. */
  readonly n: number;
  readonly outcome: string;
}

/** Queries on the journal; they never wait for the writer. */
export interface JournalReader {
  readonly entry: (seqOrId: number | string) => Entry | null;
  /** Like `entry`. Other work of this thread runs while a body of megabytes is decoded. */
  readonly entryInTurns: (seqOrId: number | string) => Promise<Entry | null>;
  /** An entry with an empty body and no answer, for readers that need neither. */
  readonly brief: (seqOrId: number | string) => Entry | null;
  /** The attempts of an entry, without their exchanges, which may be long. */
  readonly attempts: (seq: number) => readonly AttemptRecord[];
  /** Null if there was no attempt. */
  readonly latestAttempt: (seq: number) => AttemptRecord | null;
  /** The exchanges of an entry's attempts, by attempt number; of many attempts, not all are kept. */
  readonly exchanges: (seq: number) => ReadonlyMap<number, readonly Exchange[]>;
  /** How far the delivery of an undelivered entry came, by key. */
  readonly progress: (seq: number) => ReadonlyMap<string, string>;
  readonly audit: (seq: number) => readonly AuditRecord[];
  readonly list: (filter: EntryFilter) => readonly Entry[];
  /** Open entries in order of acceptance, without parked ones. */
  readonly open: (afterSeq: number, limit: number) => readonly OpenEntry[];
  readonly counts: () => Readonly<Record<EntryState, number>>;
  /** The number of dead entries by target and reason. */
  readonly deadCounts: () => readonly DeadCount[];
  /** The dead entry that blocks a lane. */
  readonly heldBy: (lane: string) => number | null;
  /** The lanes with entries whose names begin like this, in order of their names. */
  readonly lanesLike: (beginning: string, limit: number) => readonly string[];
}

/** The entry could not be stored. */
export class JournalFailed extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "JournalFailed";
  }
}

/** The entry may be stored or not: the other place did not answer. Neither success nor failure may be answered. */
export class JournalDoubtful extends JournalFailed {
  constructor(message: string) {
    super(message);
    this.name = "JournalDoubtful";
  }
}

/** Thrown when acknowledged data is missing or changed. Nothing was opened and nothing was changed. */
export class JournalDamaged extends JournalFailed {
  /** What is wrong, file by file. */
  readonly damages: readonly string[];
  constructor(damages: readonly string[]) {
    super(`the data folder is damaged: ${damages.join("; ")}`);
    this.name = "JournalDamaged";
    this.damages = damages;
  }
}

/** The journal's queue is full; nothing was stored. */
export class JournalBusy extends Error {
  constructor() {
    super("the journal's queue is full");
    this.name = "JournalBusy";
  }
}

/** The journal is closing; the next start finishes what was begun. */
export class JournalClosed extends JournalFailed {
  constructor() {
    super("the journal is closing");
    this.name = "JournalClosed";
  }
}

/** The remaining disk space is reserved for the outcomes of accepted entries; nothing was stored. */
export class DiskFull extends Error {
  constructor() {
    super("the disk is full");
    this.name = "DiskFull";
  }
}
