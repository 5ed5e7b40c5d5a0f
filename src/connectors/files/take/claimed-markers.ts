import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
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
  readonly passed: Timers["passed"];
  readonly log: Log;
  /** The folder for incoming files and their markers. */
  readonly folder: string;
  /** The folder for the files this adapter has claimed. */
  readonly own: string;
  readonly marker: string;
  /** A claim of another adapter that is older than this was abandoned. */
  readonly abandonedMs: number;
}

const markersName = "markers";
const mostLeft = 10_000;

/**
 * A marker says that one file is complete. It is claimed before that file: if it stayed in the folder during the
 * import, the next file of the same name would count as complete, or lose its own marker. The name of a claimed marker
 * identifies its file, so that after a crash between the two claims the marker counts for that file only.
 */
export function claimedMarkers({ store, passed, log, folder, own, marker, abandonedMs }: MarkerNeeds) {
  const folderOf = (claims: string) => folderPath(claims, markersName);
  const abandoned = unchangedSince(passed);
  const keyOf = ({ name, size, modifiedMs }: ListedFile) => extendedName(`${size}-${Math.trunc(modifiedMs)}-`, name);
  let left: ReadonlySet<string> = new Set();

  return {
    prepare: () => store.makeFolder(folderOf(own)),
    /** Returns which files of the folder are complete. Removes claimed markers whose file no longer exists. */
    markedFilter: async (
      files: readonly ListedFile[],
      marked: ReadonlySet<string>,
    ): Promise<(file: ListedFile) => boolean> => {
      const found = (await store.list(folderOf(own), () => true, mostLeft)).files.map(({ name }) => name);
      const there = new Set(found.length === 0 ? [] : files.map(keyOf));
      left = new Set(found.filter((key) => there.has(key)));
      for (const key of found) {
        if (left.has(key)) continue;
        log.info(
          { marker: shownName(key) },
          "the file of this marker was removed or rewritten; a new marker is needed",
        );
        await store.remove({ folder: folderOf(own), name: key });
      }
      return (file) => marked.has(file.name + marker) || left.has(keyOf(file));
    },
    /** Takes over markers of another adapter that claimed them, but stopped before it claimed their files. */
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
    /** Claims a file's marker. False if another adapter has claimed it, or it is gone. */
    claim: async (file: ListedFile): Promise<boolean> => {
      const from = { folder, name: file.name + marker };
      if (await store.move(from, { folder: folderOf(own), name: keyOf(file) })) return true;
      return left.has(keyOf(file));
    },
    /** Removes the claimed marker of a finished file, also when another adapter had claimed both. */
    letGo: async (file: ListedFile, claims = own): Promise<void> => {
      await store.remove({ folder: folderOf(claims), name: keyOf(file) }).catch(() => {});
    },
  };
}

/** What changes with a file. A server may tell no time; then the size decides. */
export const stampOf = ({ size, modifiedMs }: Pick<ListedFile, "size" | "modifiedMs">): string =>
  `${size} ${modifiedMs}`;

/**
 * How long each file has been unchanged, by the time that has passed here: the clock of a file server, and so a file's
 * time, may be hours off, and our own clock may be set. Remembers only the files of the last listing.
 */
export function unchangedSince(
  passed: Timers["passed"],
): (files: readonly ListedFile[]) => (file: ListedFile) => number {
  let seen = new Map<string, { stamp: string; since: number }>();
  return (files) => {
    const now = passed();
    const latest: typeof seen = new Map();
    for (const { name, size, modifiedMs } of files) {
      const stamp = stampOf({ size, modifiedMs });
      const earlier = seen.get(name);
      latest.set(name, earlier?.stamp === stamp ? earlier : { stamp, since: now });
    }
    seen = latest;
    return ({ name }) => now - (latest.get(name)?.since ?? now);
  };
}
