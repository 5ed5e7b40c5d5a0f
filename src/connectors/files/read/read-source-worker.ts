import { parentPort, workerData } from "node:worker_threads";
import type { SourceRecord } from "../../../mapping/documents/source-records.ts";
import { readSource, type SourceSpec } from "./read-records-from.ts";

/** The thread that reads one large file. In the main one every scan would wait until the whole of it is parsed. */
const given = workerData as { bytes: Uint8Array | null; spec: SourceSpec; limit: number };

export interface SourcePortion {
  /** As JSON text: long numbers of a JSON file would not survive the way as values. */
  readonly records: string | readonly SourceRecord[];
  readonly isMore: boolean;
}

/** So many of ten lines are taken over by the main thread in a few milliseconds. */
const recordsAtOnce = 100;

/** Gives the bytes away: kept until the last record is handed over, they would be there beside what was made of them. */
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
  // Nobody else has this list: what was handed over is let go, or the file would be in memory twice.
  const held = records as (SourceRecord | undefined)[];
  // Each portion is asked for: all of them at once would wait as a second copy of the file.
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
