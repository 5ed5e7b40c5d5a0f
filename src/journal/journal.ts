import type { Attempt, Entry, EntryState, Exchange, NewEntry, OpenEntry, Verdict } from "./entry.ts";
import type { IdempotencyRecord, IdempotentCall } from "./idempotency-record.ts";
import type { Applied } from "./inline-projection.ts";
import type { Moved, Staging } from "./staging.ts";

/** What became of an appended entry. */
export type Appended =
  | (Applied & {
      readonly id: string;
      readonly seq: number;
      readonly state: EntryState;
      /** Seq of an earlier entry with the same content whose answer had arrived: perhaps a repeat, kept all the same. */
      readonly suspectOf: number | null;
      /** Entries that came into being with this one, such as receipts; to be queued as well. */
      readonly emitted: readonly OpenEntry[];
      /** Of a queued entry: what the outbox needs to know. */
      readonly open: OpenEntry | null;
      /** Entries that were waiting and ended because of this one. */
      readonly superseded: readonly number[];
    })
  | {
      /** Nothing was stored: the platform sent an earlier entry again. */
      readonly repeatOf: number;
      readonly state: EntryState;
      /** The outcome of that entry; null while it is still being delivered. */
      readonly outcome: { readonly ok: boolean } | null;
      readonly touched: false;
    };

/** What became of a call that takes effect once. */
export type IdempotentAppend =
  /** It was made before: nothing was stored. */
  | { readonly known: IdempotencyRecord }
  | ({ readonly appended: readonly Appended[] } & Pick<IdempotencyRecord, "ids" | "unchanged">);

/** A lease: only who holds the token may settle the entry. */
export interface Lease {
  readonly seq: number;
  readonly token: string;
}

export type PersonAction =
  | { readonly action: "retry" }
  | { readonly action: "edit"; readonly body: string; readonly reason: string }
  | { readonly action: "skip"; readonly reason: string }
  | { readonly action: "replay"; readonly reason: string };

/** So many freed entries are told; a list of this length may not be all, and `open` knows the rest. */
export const mostReleased = 1000;

export interface EntryFilter {
  readonly lane?: string;
  /** In at least one of these. */
  readonly lanes?: readonly string[];
  readonly topic?: string;
  readonly direction?: "out" | "in";
  readonly states?: readonly EntryState[];
  /** Found anywhere in the body: an item, an operator, an ERP id. */
  readonly text?: string;
  readonly receivedFrom?: number;
  readonly receivedTo?: number;
  readonly beforeSeq?: number;
  readonly limit: number;
}

export interface AuditRecord {
  readonly seq: number;
  readonly at: number;
  readonly operator: string;
  /** `supersede` is the journal's own; its reason is the id of the newer entry. */
  readonly action: PersonAction["action"] | "supersede";
  readonly reason: string | null;
  /** The body before an edit. */
  readonly before: string | null;
}

/** Who stands in the audit where it was no person. */
export const ownName = "crossdock";

/** The durable list of entries: journal, queue, dead-letter store and audit in one. Every call commits, or fails whole. */
export interface Journal {
  /**
   * Resolves after the commit: all entries of the call are on disk with their effects, or none is.
   * Held entries are leased to the given token.
   */
  readonly append: (entries: readonly NewEntry[], leaseToken?: string) => Promise<readonly Appended[]>;
  /** The same for a call with names of its own: what is known under one of them is not stored again. None is held. */
  readonly appendIdempotent: (idempotency: IdempotentCall, entries: readonly NewEntry[]) => Promise<IdempotentAppend>;
  /** Begins a call that is too long for one commit. None of its entries is held. */
  readonly stage: () => Staging;
  /**
   * Called with every part of such a call that has come into the journal, in the order of its commits. To be given before
   * the first is begun: calls that an earlier process did not bring to their end go on from then.
   */
  readonly onMoved: (told: (moved: Moved) => void) => void;
  /** Whether such a call is going on without its caller: what is pushed now could be overtaken by it. */
  readonly isCatchingUp: () => boolean;
  /** What is known of a call with names, without waiting for the writer; null where it was not made before. */
  readonly recall: (keys: readonly string[], at: number) => IdempotencyRecord | null;
  /**
   * Takes a lease on an entry for one attempt. Null where it is not open any more, is somebody else's, or waits
   * behind a dead one. Asked again with the same token it gives the same lease: whoever got no answer may repeat.
   */
  readonly start: (seq: number, token: string) => Promise<Entry | null>;
  /**
   * Ends the attempt. A held entry that was delivered or taken over is applied in the same transaction.
   * Not `done` where the token is no longer the entry's: then nothing was changed.
   */
  readonly settle: (lease: Lease, verdict: Verdict, attempt: Attempt | null, answer?: string) => Promise<Settled>;
  /**
   * Notes that an answer is with the operating system; null that it did not arrive. Outlives this process at once,
   * though not the machine: should the process be killed before the mark is stored, the next one takes the note for it.
   */
  readonly noteWritten: (seq: number, at: number | null) => void;
  /** Notes that answers were written completely. Stored with the next batch; until then `noteWritten` stands for it. */
  readonly markAnswered: (seq: number, at: number) => void;
  /** Takes that very mark back: the answer turned out not to have been read. A later mark of the entry stays. */
  readonly takeBackAnswered: (seq: number, at: number) => void;
  /**
   * What a person decided on an entry, with its audit record. Returns what may go on now: the entry itself where
   * it is open, and what waited behind it, at most `mostFreed`. Null where the entry's state does not allow it.
   */
  readonly act: (
    seq: number,
    action: PersonAction,
    operator: string,
    at: number,
  ) => Promise<readonly OpenEntry[] | null>;
  /** Erases what retention allows, in small batches between commits; returns how many entries went. */
  readonly prune: (limits: { bodiesBefore: number; entriesBefore: number; batch: number }) => Promise<number>;
  /** A consistent copy, while everything goes on. */
  readonly backup: (file: string) => Promise<void>;
  /** Why nothing can be written any more until a restart; null as long as it can. */
  readonly failure: () => string | null;
  /** What the last writes and reads came to. */
  readonly trouble: () => JournalTrouble;
  readonly read: JournalReader;
  readonly close: () => Promise<void>;
}

export interface JournalTrouble {
  /** Why the last write was refused by the disk; null where it was stored, or nothing was tried yet. */
  readonly refused: string | null;
  /** The file turned out to be damaged; stays until a restart, which checks it. */
  readonly damage: string | null;
}

export const noTrouble: JournalTrouble = { refused: null, damage: null };

export interface Settled {
  readonly done: boolean;
  /** What the resident returned, where it was run. */
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

/** Questions to the journal; they never wait for the writer. */
export interface JournalReader {
  readonly entry: (seqOrId: number | string) => Entry | null;
  /** Without what was sent and answered, which may be long. */
  readonly attempts: (seq: number) => readonly AttemptRecord[];
  /** What the attempts of an entry sent and got, by their numbers; not all of many are kept. */
  readonly exchanges: (seq: number) => ReadonlyMap<number, readonly Exchange[]>;
  readonly audit: (seq: number) => readonly AuditRecord[];
  readonly list: (filter: EntryFilter) => readonly Entry[];
  /** Open entries in order of acceptance, without those behind a dead one of their lanes. */
  readonly open: (afterSeq: number, limit: number) => readonly OpenEntry[];
  readonly counts: () => Readonly<Record<EntryState, number>>;
  /** How many entries wait for a person, by target and reason. */
  readonly deadCounts: () => readonly DeadCount[];
  /** The dead entry that a lane waits for. */
  readonly heldBy: (lane: string) => number | null;
}

/** The entry could not be stored. */
export class JournalFailed extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "JournalFailed";
  }
}

/** What was acknowledged is missing or changed; nothing was opened and nothing was changed. */
export class JournalDamaged extends JournalFailed {
  /** What is wrong, file by file. */
  readonly damages: readonly string[];
  constructor(damages: readonly string[]) {
    super(`the data folder is damaged: ${damages.join("; ")}`);
    this.name = "JournalDamaged";
    this.damages = damages;
  }
}

/** The journal has as much waiting as it may hold; nothing was stored. */
export class JournalBusy extends Error {
  constructor() {
    super("the journal's queue is full");
    this.name = "JournalBusy";
  }
}

/** The journal takes no more; what was begun is finished by the next start. */
export class JournalClosed extends JournalFailed {
  constructor() {
    super("the journal is closing");
    this.name = "JournalClosed";
  }
}

/** What is left of the disk is kept for the outcomes of entries already taken; nothing was stored. */
export class DiskFull extends Error {
  constructor() {
    super("the disk is full");
    this.name = "DiskFull";
  }
}
