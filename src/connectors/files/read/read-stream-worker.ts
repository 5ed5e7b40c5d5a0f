import { parentPort, workerData } from "node:worker_threads";
import { openByteFile } from "../../../formats/stream/byte-file.ts";
import { csvStream } from "../../../mapping/documents/csv-stream.ts";
import type { SourceRecord } from "../../../mapping/documents/source-records.ts";
import type { SourceSpec } from "./read-records-from.ts";
import type { SourcePortion } from "./read-source-worker.ts";

/** The thread that streams one CSV file that is too large for memory. */
const { path, spec } = workerData as { path: string; spec: SourceSpec };
/** Its commands: send the next portion, or start again at the first. */
export type ToStreamThread = "more" | "from-start";

/** The main thread receives this many records of ten lines in a few milliseconds. */
const recordsAtOnce = 100;

const found = csvStream(openByteFile(path), spec);
if ("refusal" in found) parentPort?.postMessage(found);
else {
  const { portions, ...head } = found;
  let records = each(portions());
  parentPort?.on("message", (message: ToStreamThread) => {
    if (message === "from-start") records = each(portions());
    const portion: SourceRecord[] = [];
    let isMore = true;
    while (isMore && portion.length < recordsAtOnce) {
      const next = records.next();
      if (next.done === true) isMore = false;
      else portion.push(next.value);
    }
    parentPort?.postMessage({ records: portion, isMore } satisfies SourcePortion);
  });
  parentPort?.postMessage(head);
}

function* each(portions: Iterable<readonly SourceRecord[]>): Generator<SourceRecord> {
  for (const portion of portions) yield* portion;
}
