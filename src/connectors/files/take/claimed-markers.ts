import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import {
  extendedName,
  type FileStore,
  folderPath,
  type ListedFile,
  type Place,
  shownName,
} from "../store/file-store.ts";

export interface MarkerNeeds {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Where files are dropped, and their markers. */
  readonly folder: string;
  /** Where this adapter keeps the files it has claimed. */
  readonly own: string;
  readonly marker: string;
  /** A claim of another adapter that has not moved for so long is one of an adapter that is gone. */
  readonly abandonedMs: number;
}

const markersName = "markers";
const mostLeft = 10_000;

/**
 * A marker says that one file is complete, and is claimed before that file. Left in the folder while the file is taken, it
 * would call the next file of the same name complete, or be removed from under it. Its name among the claims says of which
 * file it was: after a crash between the two claims only that very file is taken by it.
 */
export function claimedMarkers({ store, clock, log, folder, own, marker, abandonedMs }: MarkerNeeds) {
  const folderOf = (claims: string) => folderPath(claims, markersName);
  const abandoned = unchangedSince(clock);
  const keyOf = ({ name, size, modifiedMs }: ListedFile) => extendedName(`${size}-${Math.trunc(modifiedMs)}-`, name);
  let left: ReadonlySet<string> = new Set();

  return {
    prepare: () => store.makeFolder(folderOf(own)),
    /** What is complete among the files of the folder; forgets claimed markers whose file is no longer there. */
    look: async (files: readonly ListedFile[], marked: ReadonlySet<string>): Promise<(file: ListedFile) => boolean> => {
      const found = (await store.list(folderOf(own), () => true, mostLeft)).files.map(({ name }) => name);
      const there = new Set(found.length === 0 ? [] : files.map(keyOf));
      left = new Set(found.filter((key) => there.has(key)));
      for (const key of found) {
        if (left.has(key)) continue;
        log.info(
          { marker: shownName(key) },
          "the file of this marker is gone or was written anew; it waits for another",
        );
        await store.remove({ folder: folderOf(own), name: key });
      }
      return (file) => marked.has(file.name + marker) || left.has(keyOf(file));
    },
    /** Takes over what adapters that are gone had claimed without getting to its file. */
    adopt: async (others: readonly string[]): Promise<void> => {
      const found: { from: Place; keyed: ListedFile }[] = [];
      for (const other of others) {
        if (!(await store.folders(other)).includes(markersName)) continue;
        for (const file of (await store.list(folderOf(other), () => true, mostLeft)).files) {
          const from = { folder: folderOf(other), name: file.name };
          found.push({ from, keyed: { ...file, name: `${from.folder}/${file.name}` } });
        }
      }
      const unmovedMs = abandoned(found.map(({ keyed }) => keyed));
      for (const { from, keyed } of found) {
        if (unmovedMs(keyed) >= abandonedMs) await store.move(from, { folder: folderOf(own), name: from.name });
      }
    },
    /** False where another adapter has it, or nobody any more. */
    claim: async (file: ListedFile): Promise<boolean> => {
      const from = { folder, name: file.name + marker };
      if (await store.move(from, { folder: folderOf(own), name: keyOf(file) })) return true;
      return left.has(keyOf(file));
    },
    /** Its file is done with; also where another adapter had claimed both. */
    letGo: async (file: ListedFile, claims = own): Promise<void> => {
      await store.remove({ folder: folderOf(claims), name: keyOf(file) }).catch(() => {});
    },
  };
}

/**
 * How long files have looked the same to us. By our own watch: the clock of a file server, and so the time of a file,
 * may be hours off. Remembers only the files of the latest look.
 */
export function unchangedSince(clock: Clock): (files: readonly ListedFile[]) => (file: ListedFile) => number {
  let seen = new Map<string, { look: string; since: number }>();
  return (files) => {
    const now = clock.now();
    const latest: typeof seen = new Map();
    for (const { name, size, modifiedMs } of files) {
      const look = `${size} ${modifiedMs}`;
      const earlier = seen.get(name);
      latest.set(name, earlier?.look === look ? earlier : { look, since: now });
    }
    seen = latest;
    return ({ name }) => now - (latest.get(name)?.since ?? now);
  };
}
