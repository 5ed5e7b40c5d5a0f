import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { answerJobs } from "../../kit/threads/job-thread.ts";
import { orderSlices, type SliceJob, type SliceReply } from "./order-slices.ts";

// `openLongOrders` starts this thread with the name of the file.
answerJobs<SliceJob, SliceReply>(
  parentPort,
  orderSlices(openDatabase(workerData as string, { readOnly: true })),
  (reply) => (reply === null ? [] : [reply.slice.buffer]),
);
