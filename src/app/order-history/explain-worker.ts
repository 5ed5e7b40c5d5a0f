import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { answerJobs } from "../../large-bodies/job-thread.ts";
import { explainOrder } from "../../store/read-order-history.ts";

export interface ExplainJob {
  readonly orderNumber: string;
}
/** JSON, so that the main thread can read a long explanation in turns. */
export type ExplainResult = Uint8Array<ArrayBuffer>;

// The thread that starts this one gives it the file of the database.
const explain = explainOrder(openDatabase(workerData as string, { readOnly: true }));

answerJobs(
  parentPort,
  ({ orderNumber }: ExplainJob): ExplainResult => new TextEncoder().encode(JSON.stringify(explain(orderNumber))),
);
