import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { CapturedBody, CapturedCall } from "./captured-call.ts";
import type { FromRecorder, RecordJob } from "./record-worker.ts";

export interface Recorder {
  readonly write: (call: CapturedCall) => void;
  /** How many calls are in the file, and how many could not be written. */
  readonly close: () => Promise<{ readonly written: number; readonly dropped: number }>;
}

/** More than that waits for no scrubbing: the calls pass all the same, and are counted. */
const mostWaitingBytes = 128 * 2 ** 20;

/** The other end of the thread that scrubs and writes. */
export async function openRecorder(job: RecordJob): Promise<Recorder> {
  const worker = new Worker(moduleUrl("./record-worker", import.meta.url), { workerData: job });
  const waiting: number[] = [];
  let [waitingBytes, handed, taken, dropped, isGone] = [0, 0, 0, 0, false];
  let onEnd = (_: { written: number; dropped: number }) => {};
  const ended = new Promise<{ written: number; dropped: number }>((resolve) => {
    onEnd = resolve;
  });
  await new Promise<void>((resolve, reject) => {
    worker.on("message", (message: FromRecorder) => {
      if (message === "ready") resolve();
      else if (message === "taken") {
        waitingBytes -= waiting.shift() ?? 0;
        taken++;
      } else onEnd(message);
    });
    worker.once("error", reject);
    // Gone for whatever reason: what was handed over and not taken is lost, and the proxy goes on.
    worker.once("exit", () => {
      isGone = true;
      onEnd({ written: taken, dropped: handed - taken });
    });
  });
  return {
    write: (call) => {
      const bytes = size(call.request) + size(call.answer?.body ?? null);
      if (isGone || waitingBytes + bytes > mostWaitingBytes) {
        dropped++;
        return;
      }
      handed++;
      waiting.push(bytes);
      waitingBytes += bytes;
      worker.postMessage(call);
    },
    close: async () => {
      worker.postMessage("close");
      const counts = await ended;
      return { written: counts.written, dropped: counts.dropped + dropped };
    },
  };
}

const size = (body: CapturedBody): number => body?.length ?? 0;
