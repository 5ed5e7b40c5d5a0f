import type { PushTopic } from "../contract/pushes.ts";
import type { Problem } from "../contract/validator.ts";
import type { OperatorText } from "../messages/message.ts";

/** Elements that a connector found by itself: lines of a dropped file, records of a polled table. */
export interface Found {
  readonly topic: PushTopic;
  /** In the form of the push table, before any check. Empty where they come in portions. */
  readonly elements: readonly unknown[];
  /** Those of a large file, which are never held all at once; from the first one on each time it is called. */
  readonly portions?: () => AsyncIterable<readonly PlacedElement[]>;
  /** Where they come from, in words for a person: a file name, an address. Never with a secret in it. */
  readonly origin: string;
  /** What one bad element does: only it is kept back, or nothing of these is taken. */
  readonly onBad: "quarantine" | "refuse";
  /** The source field that feeds a member, so that a person mends the mistake where it was made. */
  readonly sourceOf?: (field: string) => string | undefined;
  /**
   * Whether the source finds the same records again and again, such as a poll with an overlap; `never`: each is found once, as in
   * files. Absent where it does not say: an order that was cancelled is then taken again only if its content has changed.
   */
  readonly rereads?: Rereads | "never";
}

/**
 * Tells an order that is released again from one that is merely found again after it was cancelled. Both say the same; only
 * the first is news.
 */
export interface Rereads {
  /** For each element what changes whenever its record does, such as the time of its last change; absent: nothing says so. */
  readonly versions?: readonly (string | undefined)[];
  /** Everything is read from its beginning on, to find what was missed: what is known by its content says nothing new. */
  readonly isComparison?: boolean;
}

/** A look that found all there is to find. */
export interface WholeLook {
  readonly topic: PushTopic;
  /** As in what was found. */
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

/** What became of a batch that was handed to the intake. */
export type Taken =
  | {
      /** Ids of the journal entries that were written; none of elements that came in portions. */
      readonly ids: readonly string[];
      /** How many entries were written of elements that came in portions. */
      readonly count?: number;
      /** How many were known already with the same content. */
      readonly unchanged: number;
      readonly bad: readonly BadElement[];
    }
  | { readonly notStored: OperatorText };

/** Resolves when the elements are on the disk; only then may a file be moved or a cursor go on. */
export interface Intake {
  (found: Found): Promise<Taken>;
  /** To be called when a look into the external system succeeded, also where it found nothing new: silence is noticed by it. */
  readonly looked?: (look?: WholeLook) => void;
}

/** Something that brings pushes in on its own account: a watched folder, a poll. */
export interface PushSource {
  readonly start: (intake: Intake) => RunningSource;
}

/** A source that was started, until it is stopped. */
export interface RunningSource {
  /** Resolves when what was begun is finished. */
  readonly stop: () => Promise<void>;
}
