import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type Database, openDatabase } from "../../kit/sqlite.ts";

/** Folded, or why not: then all of it is in the log still, and is tried again. */
export type FromFolder = "folded" | { readonly failed: string };

if (parentPort === null) throw new Error("the log is folded only in a worker thread");
const port = parentPort;
const { databaseFile } = workerData as { databaseFile: string };
/** What is written during one pass is left for the next; the last ones find next to nothing. */
const mostPasses = 5;
let database: Database | null = null;

// Elsewhere this would be the priority of the whole process.
if (process.platform === "linux") setPriority(0, 5);

port.on("message", () => {
  try {
    database ??= open();
    for (let pass = 0; pass < mostPasses && !fold(database); pass++);
    port.postMessage("folded" satisfies FromFolder);
  } catch (error) {
    // This handle is not to be trusted any more.
    if (database?.isOpen()) database.close();
    database = null;
    port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies FromFolder);
  }
});

function open(): Database {
  const opened = openDatabase(databaseFile);
  opened.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL;");
  return opened;
}

/** Whether nothing is left: whoever writes next begins the log anew. */
function fold(opened: Database): boolean {
  const done = opened.statement("PRAGMA wal_checkpoint(PASSIVE)").get<{ log: number; checkpointed: number }>();
  return done === undefined || done.log === done.checkpointed;
}
