import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { SourceRecord, SourceRecords } from "../../../mapping/documents/source-records.ts";
import { answerOf } from "./read-aside.ts";
import type { SourceSpec } from "./read-records-from.ts";
import type { SourcePortion } from "./read-source-worker.ts";
import type { ToStreamThread } from "./read-stream-worker.ts";

type Head = Omit<Extract<SourceRecords, { records: unknown }>, "records">;
type Refused = Extract<SourceRecords, { refusal: unknown }>;

export interface StreamedRecords extends Head {
  /** Each call starts at the first record. Only one iteration at a time. */
  readonly portions: () => AsyncIterable<readonly SourceRecord[]>;
  /** Must always be called: until then a thread waits with the file open. */
  readonly close: () => Promise<void>;
}

/** Streams the records of a local CSV file that is too large for memory; another thread reads it. */
export async function readStream(path: string, spec: SourceSpec): Promise<StreamedRecords | Refused> {
  const worker = new Worker(moduleUrl("./read-stream-worker", import.meta.url), {
    workerData: { path, spec },
    // The thread allocates much and keeps little. With a large heap limit its garbage would stay in memory.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  const close = async () => void (await worker.terminate());
  try {
    // What our own worker says first.
    const head = (await answerOf(worker)) as Head | Refused;
    if (!("refusal" in head)) return { ...head, portions: () => portionsOf(worker), close };
    await close();
    return head;
  } catch (error) {
    await close();
    throw error;
  }
}

async function* portionsOf(worker: Worker): AsyncGenerator<readonly SourceRecord[]> {
  let message: ToStreamThread = "from-start";
  for (let isMore = true; isMore; message = "more") {
    worker.postMessage(message);
    // What our own worker answers to each of these messages.
    const portion = (await answerOf(worker)) as SourcePortion & { readonly records: readonly SourceRecord[] };
    yield portion.records;
    isMore = portion.isMore;
  }
}
