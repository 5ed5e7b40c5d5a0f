import { parentPort } from "node:worker_threads";
import type { EventId, QueryId } from "../contract/operations.ts";
import { answerJobs } from "../kit/threads/job-thread.ts";
import { inputReader, readEvent } from "../server/contract/read-input.ts";

export interface EventJob {
  readonly id: EventId | QueryId;
  readonly bytes: Uint8Array;
}

const reader = inputReader();

answerJobs(parentPort, ({ id, bytes }: EventJob) => readEvent(reader, id, bytes));
