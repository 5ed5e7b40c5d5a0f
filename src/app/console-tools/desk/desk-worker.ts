import { parentPort, workerData } from "node:worker_threads";
import { answerJobs } from "../../../large-bodies/job-thread.ts";
import { type ConfigDesk, configDesk } from "./config-desk.ts";
import type { ConfigSource } from "./config-source.ts";

export type DeskTask = keyof ConfigDesk;
export interface DeskJob {
  readonly task: DeskTask;
  readonly given: unknown;
}
/** JSON, so that the main thread can read a long answer in turns; or a value, which it takes over at once. */
export type DeskResult = { readonly json: Uint8Array<ArrayBuffer> } | { readonly value: unknown };

// The thread that starts this one gives it a source.
const desk = configDesk(workerData as ConfigSource);
/** Their results contain a configuration, in which JSON would lose values such as `.inf`. */
const asValue: readonly DeskTask[] = ["change", "load"];

answerJobs(parentPort, async ({ task, given }: DeskJob): Promise<DeskResult> => {
  // The desk of the main thread calls each task with what it takes.
  const value = await (desk[task] as (one: unknown) => unknown)(given);
  return asValue.includes(task) ? { value } : { json: new TextEncoder().encode(JSON.stringify(value)) };
});
