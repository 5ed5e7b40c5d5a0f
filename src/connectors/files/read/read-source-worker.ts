import { parentPort, workerData } from "node:worker_threads";
import type { SourceRecord } from "../../../sdk/documents/source-records.ts";
import { readSource, type SourceSpec } from "./read-source.ts";

/** The thread that reads one large file. In the main one every scan would wait until the whole of it is parsed. */
const { bytes, spec, limit } = workerData as { bytes: Uint8Array; spec: SourceSpec; limit: number };

export interface SourcePortion {
  readonly records: readonly SourceRecord[];
  readonly isMore: boolean;
}

/** So many of ten lines are taken over by the main thread in a few milliseconds. */
const recordsAtOnce = 100;

const found = readSource(bytes, spec);
let next = 0;

if ("refusal" in found) parentPort?.postMessage(found);
else {
  const { records, ...rest } = found;
  const wanted = Math.min(records.length, limit);
  // Each portion is asked for: all of them at once would wait as a second copy of the file.
  parentPort?.on("message", () => {
    const portion = records.slice(next, Math.min(next + recordsAtOnce, wanted));
    next += portion.length;
    parentPort?.postMessage({ records: portion, isMore: next < wanted } satisfies SourcePortion);
  });
  parentPort?.postMessage(rest);
}
