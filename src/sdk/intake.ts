import type { PushTopic } from "../contract/pushes.ts";
import type { Problem } from "../contract/validate/validator.ts";
import type { Log } from "../kit/log.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { OperatorText } from "../messages/message.ts";
import type { BadRecords } from "../operation/bad-records.ts";
import type { ConnectorState } from "./connector.ts";

/** Elements that a connector found by itself: lines of a dropped file, records of a polled table. */
export interface Batch {
  readonly topic: PushTopic;
  /** In the form of the push table, before any check. Empty where they come in portions. */
  readonly elements: readonly unknown[];
  /** Those of a large file, which are never held all at once; from the first one on each time it is called. */
  readonly portions?: () => AsyncIterable<readonly PlacedElement[]>;
  /** Where they come from, in words for a person: a file name, an address. Never with a secret in it. */
  readonly origin: string;
  /** What one bad element does: only it is kept back, or nothing of these is taken. */
  readonly badRecords: BadRecords;
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
export type BatchResult =
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
  (found: Batch): Promise<BatchResult>;
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

interface FullComparisonNeeds {
  readonly clock: Clock;
  readonly connectorState: ConnectorState;
  readonly log: Log;
  /** Under which the notebook keeps how far the poll has come. */
  readonly key: string;
  readonly topic: string;
  /** 0: never. */
  readonly everyHours: number;
}

const hourMs = 3_600_000;
const mostNamed = 20;

/** How often a poll goes through everything once more, where nothing else is said. */
export const defaultCompareHours = 24;

/**
 * A poll that asks for what is new misses what was committed late with an older time, and what moved to a page it had read
 * already. So once in a while all of it is read and compared; what is known by its content is not taken in again.
 */
export function fullComparison({ clock, connectorState, log, key, topic, everyHours }: FullComparisonNeeds) {
  const noteKey = `${key}.compared`;
  const note = () => connectorState.write(noteKey, String(clock.now()));

  const isDue = async (): Promise<boolean> => {
    if (everyHours === 0) return false;
    const noted = Number(connectorState.read(noteKey) ?? Number.NaN);
    // The first poll has just read all of it. A clock that was set back would put the next comparison off.
    if (!Number.isFinite(noted) || noted > clock.now()) {
      await note();
      return false;
    }
    return clock.now() - noted >= everyHours * hourMs;
  };

  /** `compare` takes in what it finds, and resolves to the ids of what was not known. */
  return async (compare: () => Promise<readonly string[]>): Promise<void> => {
    if (!(await isDue())) return;
    try {
      const ids = await compare();
      if (ids.length > 0) {
        log.warn(
          { topic, missed: ids.length, entries: ids.slice(0, mostNamed) },
          "a full comparison found records that the poll had missed, and took them in; make overlapSeconds longer, or read pages in a fixed order",
        );
      }
    } catch (error) {
      log.warn({ topic, err: error, againInHours: everyHours }, "a full comparison failed; the poll itself goes on");
    }
    // Also after a failure: reading everything again every minute would be a load of its own.
    await note();
  };
}
