import { parentPort, workerData } from "node:worker_threads";
import type { CapturedCall } from "./captured-call.ts";
import { pseudonyms } from "./pseudonyms.ts";
import { openRecordingFile, type RecordingFileNeeds } from "./recording-file.ts";
import { callScrubber } from "./scrub-call.ts";

export interface RecordJob extends RecordingFileNeeds {
  readonly key: Uint8Array;
}
export type ToRecorder = CapturedCall | "close";
export type FromRecorder =
  | "ready"
  /** A call that was handed over is scrubbed or dropped. */
  | "taken"
  | { readonly written: number; readonly dropped: number };

/** Scrubs and writes in a separate thread, because a list of thousands of orders takes a second. */
const port = parentPort;
if (port === null) throw new Error("only as a worker");
const send = (message: FromRecorder) => port.postMessage(message);
// Passed by record.ts in exactly this form.
const { key, ...needs } = workerData as RecordJob;
const scrub = callScrubber(pseudonyms(key));
const file = await openRecordingFile(needs);
port.on("message", (message: ToRecorder) => {
  if (message === "close") {
    void file.close().then(() => {
      send({ written: file.written(), dropped: file.dropped() });
      port.close();
    });
    return;
  }
  file.write(() => scrub(message));
  send("taken");
});
send("ready");
