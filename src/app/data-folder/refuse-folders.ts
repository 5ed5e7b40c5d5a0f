import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Says why a data folder cannot be used, for the person who starts the adapter or runs a command on the folder. */
export class DataFolderUnusable extends Error {
  override readonly name = "DataFolderUnusable";
  readonly next: string;
  constructor(text: string, next: string) {
    super(text);
    this.next = next;
  }
}

/** Every database, with the files that SQLite, the journal and the locks keep beside it. */
const ofDatabase = /^[\w-]+\.db(?:-wal|-shm|-journal|\.witness|\.sums|\.answers|\.snapshot|\.lock|\.lock-journal)?$/;
const others = new Set([
  ...["adapter.json", "api-key", "idle.json", "journal-mark", "last-version", "opened-files"],
  ...["moved.json", "move-unfinished", "restore-unfinished", "recovery-unfinished"],
  ...["deployments.lock", "deployments.lock-journal"],
]);

/**
 * Throws if a folder has the name of a file of the data folder. Otherwise SQLite or the system would only say that
 * something cannot be opened.
 */
export function refuseFolders(dataFolder: string): void {
  const found = namesIn(dataFolder).filter(
    (name) =>
      (ofDatabase.test(name) || others.has(name)) &&
      statSync(join(dataFolder, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
  if (found.length === 0) return;
  const [what, it] =
    found.length === 1 ? ["a folder, but must be a file", "it"] : ["folders, but must be files", "them"];
  throw new DataFolderUnusable(
    `${found.join(", ")} in ${dataFolder}: ${what}`,
    `move ${it} to another place and try again: the start then says what is missing without the file`,
  );
}

/** The databases of a data folder, with the files beside them. */
export const databasesIn = (dataFolder: string): string[] =>
  namesIn(dataFolder).filter((name) => ofDatabase.test(name));

function namesIn(dataFolder: string): string[] {
  try {
    return readdirSync(dataFolder);
  } catch {
    // It does not exist yet, or cannot be read, which whoever opens its files reports.
    return [];
  }
}
