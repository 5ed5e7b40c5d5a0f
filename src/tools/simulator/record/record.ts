import { createHmac, randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { CapturedBody, CapturedCall } from "./captured-call.ts";
import type { FromRecorder, RecordJob } from "./record-worker.ts";
import { startRecordingProxy } from "./recording-proxy.ts";

export interface RecordNeeds {
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly file: string;
  /**
   * With the same secret, two recordings use the same pseudonyms. Without one, a random secret is used and forgotten.
   */
  readonly secret: string | undefined;
  readonly mostFileBytes: number;
  readonly keepFiles: number;
  readonly mostBodyBytes: number;
  readonly now: () => number;
}

export interface Recording {
  readonly url: string;
  readonly close: () => Promise<{
    readonly written: number;
    readonly dropped: number;
    /** Calls to other addresses, which were only passed on. */
    readonly others: number;
  }>;
}

/** Records the traffic, scrubbed, until it is closed. */
export async function record(needs: RecordNeeds): Promise<Recording> {
  const { target, host, port, now, mostBodyBytes, secret } = needs;
  const key = secret === undefined ? randomBytes(32) : createHmac("sha256", "crossdock record").update(secret).digest();
  const recorder = await openRecorder({
    ...{ file: needs.file, session: randomBytes(8).toString("hex"), mostBytes: needs.mostFileBytes },
    ...{ keep: needs.keepFiles, key: new Uint8Array(key) },
  });
  const proxy = await startRecordingProxy({ target, host, port, now, mostBodyBytes, onCall: recorder.write }).catch(
    async (error: unknown) => {
      await recorder.close();
      throw error;
    },
  );
  return {
    url: proxy.url,
    close: async () => {
      await proxy.close();
      return { ...(await recorder.close()), others: proxy.others() };
    },
  };
}

interface Recorder {
  readonly write: (call: CapturedCall) => void;
  /** Number of calls in the file, and of calls that could not be written. */
  readonly close: () => Promise<{ readonly written: number; readonly dropped: number }>;
}

/** Above this limit, calls are passed on and counted but not recorded. */
const mostWaitingBytes = 128 * 2 ** 20;

/** The main thread's side of the thread that scrubs and writes. */
async function openRecorder(job: RecordJob): Promise<Recorder> {
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
    // If the thread ends, calls that it has not finished are lost, and the proxy continues.
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
