import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../../kit/sqlite/sqlite.ts";

/** Folded, or why not: then all of it is in the log still, and is tried again. */
export type FromFolder = "folded" | { readonly failed: string };

if (parentPort === null) throw new Error("the log is folded only in a worker thread");
const port = parentPort;
// Given by whoever starts this thread (log-folder.ts).
const { databaseFile } = workerData as { databaseFile: string };
// Elsewhere this would be the priority of the whole process.
if (process.platform === "linux") setPriority(0, 5);

port.on("message", () => {
  try {
    fold();
    port.postMessage("folded" satisfies FromFolder);
  } catch (error) {
    port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies FromFolder);
  }
});

/** With a handle of its own that is closed behind it: it must never be the last one, which would fold unasked. */
function fold(): void {
  const database = openDatabase(databaseFile);
  try {
    database.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE);");
  } finally {
    database.close();
  }
}
