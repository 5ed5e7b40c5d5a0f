import { parentPort, workerData } from "node:worker_threads";
import type { SourceRecord } from "../../../mapping/documents/source-records.ts";
import { readSource, type SourceSpec } from "./read-records-from.ts";

/** The thread that parses one large file. In the main thread every scan would wait until the whole file is parsed. */
const given = workerData as { bytes: Uint8Array | null; spec: SourceSpec; limit: number };

export interface SourcePortion {
  /** As JSON text: numbers beyond 2^53 in a JSON file would be changed if sent as values. */
  readonly records: string | readonly SourceRecord[];
  readonly isMore: boolean;
}

/** The main thread receives this many records of ten lines in a few milliseconds. */
const recordsAtOnce = 100;

/** Releases the bytes: otherwise they stay in memory beside the records until the last record is handed over. */
function takeBytes(): Uint8Array {
  const bytes = given.bytes ?? new Uint8Array(0);
  given.bytes = null;
  return bytes;
}

const found = readSource(takeBytes(), given.spec);
let next = 0;

if ("refusal" in found) parentPort?.postMessage(found);
else {
  const { records, ...rest } = found;
  const wanted = Math.min(records.length, given.limit);
  // Only this thread holds the list. Records that were sent are dropped, or the file would be in memory twice.
  const held = records as (SourceRecord | undefined)[];
  // One portion per request: sent all at once, they would queue as a second copy of the file.
  parentPort?.on("message", () => {
    const portion = records.slice(next, Math.min(next + recordsAtOnce, wanted));
    held.fill(undefined, next, next + portion.length);
    next += portion.length;
    const isMore = next < wanted;
    const sent = given.spec.format === "json" ? JSON.stringify(portion) : portion;
    parentPort?.postMessage({ records: sent, isMore } satisfies SourcePortion);
  });
  parentPort?.postMessage(rest);
}
