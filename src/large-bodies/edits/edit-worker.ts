import { parentPort } from "node:worker_threads";
import { type CheckedEdit, checkEdit, type EditedEntry } from "../../engine/journal-view/entries/check-edit.ts";
import { answerJobs } from "../../kit/threads/job-thread.ts";
import { type EditReading, readEdit } from "../../server/admin/read-edit.ts";

export type EditJob =
  | { readonly bytes: Uint8Array }
  | { readonly entry: EditedEntry /** The text of the new body. */; readonly text: string };
export type EditResult = EditReading | CheckedEdit;

answerJobs(
  parentPort,
  (job: EditJob): EditResult => ("bytes" in job ? readEdit(job.bytes) : checkEdit(job.entry, job.text)),
);
