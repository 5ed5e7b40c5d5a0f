import type { ListedFile } from "./file-store.ts";

const byAge = (one: ListedFile, other: ListedFile): number =>
  one.modifiedMs - other.modifiedMs || (one.name < other.name ? -1 : 1);

/** Keeps the oldest of the files it is given, in no more memory than they need: a folder may hold a million. */
export function oldestFiles(limit: number) {
  let files: ListedFile[] = [];
  const cut = () => {
    files = files.sort(byAge).slice(0, limit);
  };
  return {
    add: (file: ListedFile): void => {
      files.push(file);
      // Sorted once in a while, not for every file.
      if (files.length >= 2 * limit) cut();
    },
    /** Oldest first; of the same time, by name. */
    files: (): readonly ListedFile[] => {
      cut();
      return files;
    },
  };
}
