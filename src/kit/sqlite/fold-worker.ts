import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { openDatabase } from "./sqlite.ts";

/** The result of a fold. After an error everything is still in the log, and the fold is tried again. */
export type FromFolder = "folded" | { readonly failed: string };

if (parentPort === null) throw new Error("a log is folded only in a worker thread");
const port = parentPort;
// Only on Linux: on other systems this would change the priority of the whole process.
if (process.platform === "linux") setPriority(0, 5);

// The message is the path of the database.
port.on("message", (databaseFile: string) => {
  try {
    fold(databaseFile);
    port.postMessage("folded" satisfies FromFolder);
  } catch (error) {
    port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies FromFolder);
  }
});

/**
 * Folds with its own handle and closes it afterwards. It must never be the last handle, because closing that one would
 * fold the log.
 */
function fold(databaseFile: string): void {
  const database = openDatabase(databaseFile);
  try {
    database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE);");
  } finally {
    database.close();
  }
}
