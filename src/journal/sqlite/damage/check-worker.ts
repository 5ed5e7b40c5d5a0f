import { parentPort, workerData } from "node:worker_threads";
import { StoreDamaged } from "./open-alone.ts";
import { openStoreGuard } from "./store-guard.ts";

export type FromCheck =
  | "checked"
  /** The check was not finished; `damages` if that is because the database is damaged. */
  | { readonly failed: string; readonly damages?: readonly string[] };

if (parentPort === null) throw new Error("a database is checked only in a worker thread");
// `check-apart.ts` starts this thread with this data.
const { databaseFile } = workerData as { databaseFile: string };
try {
  // Opened and closed, it leaves the sums of all pages, and a witness that the file is as they say.
  openStoreGuard(databaseFile, { isCopy: true }).close(() => {});
  parentPort.postMessage("checked" satisfies FromCheck);
} catch (error) {
  const damages = error instanceof StoreDamaged ? { damages: error.damages } : {};
  const failed = error instanceof Error ? error.message : String(error);
  parentPort.postMessage({ failed, ...damages } satisfies FromCheck);
}
