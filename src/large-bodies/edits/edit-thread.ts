import { type CheckEdit, type CheckedEdit, checkEdit } from "../../engine/journal-view/entries/check-edit.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import { jobThread } from "../../kit/threads/job-thread.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { type EditReading, type ReadEdit, readEdit } from "../../server/admin/read-edit.ts";
import { alone } from "../event-thread.ts";
import type { EditJob, EditResult } from "./edit-worker.ts";

/** Reading a smaller body takes a few milliseconds, even if every number in it is long. */
const largeBytes = 16 * 1024;
/** People edit rarely, so the idle thread ends soon and releases its memory. */
const idleMs = 60_000;
/**
 * Enough for the largest body that the routes accept. A thread that needs more memory ends, and the adapter goes on.
 */
const mostHeapMb = 512;

/**
 * Reads and checks large bodies that an operator has edited. A step of an order of 10,000 lines has three megabytes,
 * and reading, checking and comparing it takes as long as a hundred events. It does not share the thread of the events,
 * because they would wait.
 */
export function editThread(timers: Timers): {
  readonly read: ReadEdit;
  readonly check: CheckEdit;
  readonly close: () => Promise<void>;
} {
  const thread = jobThread<EditJob, EditResult>({
    url: moduleUrl("./edit-worker", import.meta.url),
    name: "reads edited bodies",
    endWhenIdle: { afterMs: idleMs, timers },
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  return {
    read: async (body) => {
      if (body === undefined || body.length <= largeBytes) return readEdit(body);
      const bytes = alone(body);
      // The worker answers each kind of job with its own kind of result.
      return (await thread.run({ bytes }, [bytes.buffer])) as EditReading;
    },
    check: async ({ topic, lanes, body, payload }, text) => {
      const entry = { topic, lanes, body, payload };
      if (body.length + text.length <= largeBytes) return checkEdit(entry, text);
      // The worker answers each kind of job with its own kind of result.
      return (await thread.run({ entry, text })) as CheckedEdit;
    },
    close: thread.close,
  };
}
