import type { Applied } from "./resident.ts";

/** Something to be written down. Texts and numbers only: it crosses a thread boundary once per event. */
export interface NewEntry {
  readonly id: string;
  /** `out` is platform → external system, `in` the other way. */
  readonly direction: "out" | "in";
  /** The operation or push topic. */
  readonly topic: string;
  /** Ordering keys: entries that share one keep their order. */
  readonly lanes: readonly string[];
  /** The JSON text as it was received. */
  readonly body: string;
  /** The JSON text to apply where it differs from the body: documented spelling, dates with offset. */
  readonly payload: string | null;
  readonly acceptLanguage: string | null;
  readonly receivedAt: number;
}

export interface Appended extends Applied {
  readonly id: string;
  readonly seq: number;
}

/** The durable list of entries. */
export interface Journal {
  /** Resolves after the commit: all entries of the call are on disk with their effects, or none is. */
  readonly append: (entries: readonly NewEntry[]) => Promise<readonly Appended[]>;
  readonly close: () => Promise<void>;
}

/** The journal has as much waiting as it may hold; nothing was stored. */
export class JournalBusy extends Error {
  constructor() {
    super("the journal's queue is full");
    this.name = "JournalBusy";
  }
}

/** The entry could not be stored. */
export class JournalFailed extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "JournalFailed";
  }
}
