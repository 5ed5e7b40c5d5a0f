import type { Clock } from "../../../kit/time/clock.ts";
import { Fault } from "../../../operation/fault.ts";
import { extendedName, type FileStore, folderPath, type Place } from "../store/file-store.ts";

/** `done`: at least one record was imported. `error`: nothing was. */
export type Outcome = "done" | "error";

/** Finished files could not be moved to their folder. All others were imported as usual. */
export class FilesHeld extends Fault {
  /** Whether more files wait to be imported. */
  readonly hasMore: boolean;

  constructor({ kind, message }: Fault, hasMore: boolean) {
    super(kind, message);
    this.hasMore = hasMore;
  }
}

export interface PutAway {
  /** The name that a claimed file gets in its folder: it sorts by time and never overwrites another file. */
  readonly nameOf: (name: string) => string;
  /** Where the reasons for the errors of a file are written. */
  readonly errorFolder: string;
  /** Moves a claimed file to its folder. */
  readonly move: (claimed: Place, outcome: Outcome, name: string) => Promise<void>;
  /** Moves the files that could not be moved before, and are held in this folder. */
  readonly moveHeld: (claims: string) => Promise<void>;
  /** Why files could not be moved since this was last asked; null if all were moved. */
  readonly takeTrouble: () => Fault | null;
}

interface PutAwayNeeds {
  readonly store: FileStore;
  readonly folder: string;
  readonly done: string;
  readonly error: string;
  readonly clock: Clock;
  /** Distinguishes this adapter's moves from those of others in the same millisecond. */
  readonly instance: string;
}

/** The same length, so that the room for the name does not depend on where the file goes. */
const prefixes = { done: ".done--", error: ".error-" } as const satisfies Record<Outcome, string>;
const outcomes = ["done", "error"] as const;
const heldPerSweep = 1_000;

/** Whether a file among the claims only waits for its folder. */
export const isHeld = (name: string): boolean => outcomes.some((one) => name.startsWith(prefixes[one]));

/**
 * Moves files that are imported or refused to their folder. A folder may take no file: no right, no space, another
 * disk. Then the file is held among the claims under a name that says where it belongs: importing it once more would
 * do the same again, and all later files would wait for it.
 */
export function putAway({ store, folder, done, error, clock, instance }: PutAwayNeeds): PutAway {
  const folders = { done: folderPath(folder, done), error: folderPath(folder, error) };
  let trouble: Fault | null = null;
  const waiting = (outcome: Outcome, failure: unknown): Fault => {
    const reason = failure instanceof Error ? failure.message : String(failure);
    return new Fault("unreachable", `files cannot be moved to "${folders[outcome]}" and wait in .claimed: ${reason}`);
  };
  const note = (outcome: Outcome) => (failure: unknown) => {
    trouble ??= waiting(outcome, failure);
  };
  return {
    nameOf: (name) => {
      const time = new Date(clock.now()).toISOString().replace(/[-:.]/g, "");
      return extendedName(`${prefixes.error}${time}-${instance.slice(-4)}-`, name).slice(prefixes.error.length);
    },
    errorFolder: folders.error,
    move: async (claimed, outcome, name) => {
      try {
        await store.move(claimed, { folder: folders[outcome], name });
      } catch (failure) {
        // If the claims cannot be changed either, the whole disk is in trouble, and the file is taken again later.
        await store.move(claimed, { folder: claimed.folder, name: prefixes[outcome] + name }).catch(() => {
          throw failure;
        });
        note(outcome)(failure);
      }
    },
    moveHeld: async (claims) => {
      for (const outcome of outcomes) {
        const prefix = prefixes[outcome];
        const { files } = await store.list(claims, (name) => name.startsWith(prefix), heldPerSweep);
        const moveAll = async () => {
          for (const { name } of files)
            await store.move({ folder: claims, name }, { folder: folders[outcome], name: name.slice(prefix.length) });
        };
        // A folder that has refused one file is not asked again for each of the others.
        await moveAll().catch(note(outcome));
      }
    },
    takeTrouble: () => {
      const found = trouble;
      trouble = null;
      return found;
    },
  };
}
