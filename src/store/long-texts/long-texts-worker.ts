import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { answerJobs } from "../../kit/threads/job-thread.ts";
import { type SliceJob, type SliceReply, storedSlices } from "./stored-slices.ts";

// `openLongTexts` starts this thread with the name of the file.
answerJobs<SliceJob, SliceReply>(
  parentPort,
  storedSlices(openDatabase(workerData as string, { readOnly: true })),
  (reply) => (reply === null ? [] : [reply.slice.buffer]),
);
