import { parentPort, workerData } from "node:worker_threads";
import { openByteFile } from "../../../formats/stream/byte-file.ts";
import { csvStream } from "../../../mapping/documents/csv-stream.ts";
import type { SourceRecord } from "../../../mapping/documents/source-records.ts";
import type { SourceSpec } from "./read-records-from.ts";

/** The thread that streams one CSV file that is too large for memory. */
const { path, spec } = workerData as { path: string; spec: SourceSpec };
/** Asks for the next portion of a pass through the file; a new pass starts at the first record. */
export interface ToStreamThread {
  readonly pass: number;
}

export interface StreamedPortion extends ToStreamThread {
  readonly records: readonly SourceRecord[];
  readonly isMore: boolean;
}

/** The main thread receives this many records of ten lines in a few milliseconds. */
const recordsAtOnce = 100;

const found = csvStream(openByteFile(path), spec);
if ("refusal" in found) parentPort?.postMessage(found);
else {
  const { portions, ...head } = found;
  let records = each(portions());
  let current = 0;
  parentPort?.on("message", ({ pass }: ToStreamThread) => {
    if (pass !== current) records = each(portions());
    current = pass;
    const portion: SourceRecord[] = [];
    let isMore = true;
    while (isMore && portion.length < recordsAtOnce) {
      const next = records.next();
      if (next.done === true) isMore = false;
      else portion.push(next.value);
    }
    parentPort?.postMessage({ pass, records: portion, isMore } satisfies StreamedPortion);
  });
  parentPort?.postMessage(head);
}

function* each(portions: Iterable<readonly SourceRecord[]>): Generator<SourceRecord> {
  for (const portion of portions) yield* portion;
}
