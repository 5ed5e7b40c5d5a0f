import { parentPort, workerData } from "node:worker_threads";
import { answerJobs } from "../../../kit/threads/job-thread.ts";
import { type ConfigDrafts, configDrafts } from "./config-drafts.ts";
import type { ConfigSource } from "./config-source.ts";

export type DraftTask = keyof ConfigDrafts;
export interface DraftJob {
  readonly task: DraftTask;
  readonly given: unknown;
}
/** JSON, so that the main thread can read a long answer in turns; or a value, which it takes over at once. */
export type DraftResult = { readonly json: Uint8Array<ArrayBuffer> } | { readonly value: unknown };

// The thread that starts this one gives it a source.
const drafts = configDrafts(workerData as ConfigSource);
/** Their results contain a configuration, in which JSON would lose values such as `.inf`. */
const asValue: readonly DraftTask[] = ["change", "load", "read", "readDeployment"];

answerJobs(parentPort, async ({ task, given }: DraftJob): Promise<DraftResult> => {
  // The main thread calls each task with what it takes.
  const value = await (drafts[task] as (one: unknown) => unknown)(given);
  return asValue.includes(task) ? { value } : { json: new TextEncoder().encode(JSON.stringify(value)) };
});
