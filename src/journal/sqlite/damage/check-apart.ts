import { existsSync, statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { FromCheck } from "./check-worker.ts";
import { StoreDamaged } from "./open-alone.ts";
import { sumsFileOf } from "./page-sums.ts";

/** A smaller database is checked in less time than a thread takes to start. */
const smallBytes = 8 * 2 ** 20;

/**
 * Checks the whole database in a thread of its own, if it has no sums. A process that follows the owner keeps none, so
 * each takeover begins with this check: a second for a few hundred megabytes, in which the other journals of the writer's
 * thread could store nothing. True if it was checked; false if that is quick enough to be done when the file is opened.
 */
export async function checkApart(databaseFile: string): Promise<boolean> {
  const bytes = statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < smallBytes || existsSync(sumsFileOf(databaseFile))) return false;
  const worker = new Worker(moduleUrl("./check-worker", import.meta.url), {
    workerData: { databaseFile },
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  const message = await new Promise<FromCheck>((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", () => reject(new Error("the check of the database has stopped")));
  });
  if (message === "checked") return true;
  throw message.damages === undefined ? new Error(message.failed) : new StoreDamaged(message.damages);
}
