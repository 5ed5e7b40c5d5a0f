import type { PushTopic } from "../contract/pushes.ts";
import type { Problem } from "../contract/validate/problem.ts";
import type { SpanOptions } from "../kit/tracing/tracing.ts";
import type { OperatorText } from "../messages/message.ts";
import type { BadRecords } from "../operation/bad-records.ts";

/** Records that a connector found by itself: lines of a file, rows of a polled table. */
export interface Batch {
  readonly topic: PushTopic;
  /** The records in the form of the push table, not yet checked. Empty if they come in portions. */
  readonly elements: readonly unknown[];
  /** The records of a large file, which is never in memory as a whole. Each call starts at the first record. */
  readonly portions?: () => AsyncIterable<readonly PlacedElement[]>;
  /** Where the records come from, for a person: a file name, a URL. Never contains a secret. */
  readonly origin: string;
  /** What happens if an element is bad: only that element is quarantined, or the whole batch is refused. */
  readonly badRecords: BadRecords;
  /** The source field of a member, so that a person can correct the mistake at its source. */
  readonly sourceOf?: (field: string) => string | undefined;
  /**
   * Whether the source returns the same records repeatedly, such as a poll with an overlap. `never`: each is returned
   * once, as in files. Undefined if unknown: then a cancelled order is imported again only if its content has changed.
   */
  readonly rereads?: Rereads | "never";
  /**
   * With `never`: when the source took the records for itself, in milliseconds since 1970. Records stored since then are
   * these, read again after an interruption: an order that was cancelled in the meantime stays cancelled. Undefined if
   * unknown.
   */
  readonly claimedAt?: number | undefined;
  /**
   * Set if the lines of these orders show what is left to do, so that bookings of the adapter make them smaller. The
   * adapter then adds its own bookings again. `readAt` is when the external system was queried, in milliseconds since
   * 1970.
   */
  readonly ignoreOwn?: { readonly readAt: number };
}

/**
 * Distinguishes an order that was released again from one that is only read again after it was cancelled. Their content
 * is the same, but only the first is new.
 */
export interface Rereads {
  /**
   * For each element, a value that changes with its record, such as the time of its last change; undefined if unknown.
   */
  readonly versions?: readonly (string | undefined)[];
  /**
   * Whether everything is read from the start to find missed records. Then records whose content is known are not new.
   */
  readonly isComparison?: boolean;
}

/** A poll that read everything. */
export interface CompletePoll {
  readonly topic: PushTopic;
  /** The same origin as in the batch. */
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
  /** Set for elements that came in portions. */
  readonly row?: number;
  readonly problems: readonly Problem[];
}

/** The result of a batch that was passed to the intake. */
export type BatchResult =
  | {
      /** Ids of the journal entries that were written. Empty for elements that came in portions. */
      readonly ids: readonly string[];
      /** How many entries were written for elements that came in portions. */
      readonly count?: number;
      /** How many elements were already known with the same content. */
      readonly unchanged: number;
      readonly bad: readonly BadElement[];
      /**
       * With `ignoreOwn`: how many elements could not be decided, because events about their orders are still on the
       * way. Read them again.
       */
      readonly later?: number;
    }
  | { readonly notStored: OperatorText };

/**
 * Stores records that a source found. Resolves when they are on the disk; only then may a file be moved or a cursor
 * advance.
 */
export interface Intake {
  (found: Batch): Promise<BatchResult>;
  /**
   * Call it after every successful read of the external system, even without new records. Otherwise the source counts
   * as silent.
   */
  readonly sourceRead?: (poll?: CompletePoll) => void;
  /**
   * Call it before ("begun") and after every read of a part of the external system, such as a folder, and with "worked"
   * when the source is stopped. If a part fails for long, an alarm is raised; the time of a read that was begun and has
   * not failed does not count.
   */
  readonly sourceResult?: (part: string, result: SourceResult) => void;
}

export type SourceResult = "begun" | "worked" | "failed";

/** The span of one poll. Each poll begins a trace of its own, whoever set its timer. */
export const pollSpan = (topic: PushTopic): SpanOptions => ({
  ...{ name: `poll ${topic}`, kind: "internal", isRoot: true, fixed: { "crossdock.topic": topic } },
});

/** What a poll is called in an alarm: as in the configuration, which may have two of one topic. */
export const pollName = (index: number, topic: PushTopic): string => `poll[${index}]: ${topic}`;

/** The same for a watched folder: two of one folder may take other topics. */
export const folderName = (index: number, topic: PushTopic): string => `in[${index}]: ${topic}`;

/** Imports pushes by itself: a watched folder, a poll. */
export interface PushSource {
  readonly start: (intake: Intake) => RunningSource;
}

/** A source that was started, until it is stopped. */
export interface RunningSource {
  /** Resolves when running work is finished. */
  readonly stop: () => Promise<void>;
}
