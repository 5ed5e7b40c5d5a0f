import type { PushTopic } from "../contract/pushes.ts";
import type { Problem } from "../contract/validate/validator.ts";
import type { OperatorText } from "../messages/message.ts";
import type { BadRecords } from "../operation/bad-records.ts";

/** Records that a connector found by itself: lines of a file, rows of a polled table. */
export interface Batch {
  readonly topic: PushTopic;
  /** In the form of the push table, not yet checked. Empty if they come in portions. */
  readonly elements: readonly unknown[];
  /** The records of a large file, which is never held in memory as a whole; each call starts at the first. */
  readonly portions?: () => AsyncIterable<readonly PlacedElement[]>;
  /** The origin, for a person: a file name, a URL. Never with a secret. */
  readonly origin: string;
  /** What happens if one element is bad: only it is quarantined, or the whole batch is refused. */
  readonly badRecords: BadRecords;
  /** The source field of a member, so that a person can correct the mistake at its source. */
  readonly sourceOf?: (field: string) => string | undefined;
  /**
   * Whether the source returns the same records repeatedly, such as a poll with an overlap; `never`: each is returned once, as in
   * files. Undefined if unknown: then a cancelled order is imported again only if its content has changed.
   */
  readonly rereads?: Rereads | "never";
  /**
   * The lines of these orders show what is left to do, so that bookings of the adapter make them smaller: what it has booked is
   * added again. `readAt` is when the external system was asked, in milliseconds since 1970.
   */
  readonly ignoreOwn?: { readonly readAt: number };
}

/**
 * Distinguishes an order that was released again from one that is only read again after it was cancelled. Their content is
 * the same, but only the first is new.
 */
export interface Rereads {
  /** For each element, a value that changes with its record, such as the time of its last change; undefined: unknown. */
  readonly versions?: readonly (string | undefined)[];
  /** Everything is read from the start to find missed records: records with known content are not new. */
  readonly isComparison?: boolean;
}

/** A poll that read everything. */
export interface WholeLook {
  readonly topic: PushTopic;
  /** As in the batch. */
  readonly origin: string;
  readonly startedAt: number;
}

/** An element with the row it comes from. */
export interface PlacedElement {
  readonly row: number;
  readonly element: unknown;
}

export interface BadElement {
  readonly index: number;
  /** Of elements that came in portions. */
  readonly row?: number;
  readonly problems: readonly Problem[];
}

/** The result of a batch that was passed to the intake. */
export type BatchResult =
  | {
      /** Ids of the journal entries that were written; empty for elements that came in portions. */
      readonly ids: readonly string[];
      /** How many entries were written for elements that came in portions. */
      readonly count?: number;
      /** How many were already known with the same content. */
      readonly unchanged: number;
      readonly bad: readonly BadElement[];
      /** With `ignoreOwn`: how many could not be decided, because events of theirs are under way. Read them again. */
      readonly later?: number;
    }
  | { readonly notStored: OperatorText };

/** Resolves when the elements are on the disk; only then may a file be moved or a cursor advance. */
export interface Intake {
  (found: Batch): Promise<BatchResult>;
  /** Call it after every successful read of the external system, even without new records: it is how a silent source is detected. */
  readonly looked?: (look?: WholeLook) => void;
}

/** Imports pushes by itself: a watched folder, a poll. */
export interface PushSource {
  readonly start: (intake: Intake) => RunningSource;
}

/** A source that was started, until it is stopped. */
export interface RunningSource {
  /** Resolves when work in progress is finished. */
  readonly stop: () => Promise<void>;
}
