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
  /** From the first one each time it is called, and only one at a time. */
  readonly portions: () => AsyncIterable<readonly SourceRecord[]>;
  /** To be called in any case: until then a thread waits with the file open. */
  readonly close: () => Promise<void>;
}

/** The records of a CSV file of this machine that is too large to be held; another thread goes through it. */
export async function readStream(path: string, spec: SourceSpec): Promise<StreamedRecords | Refused> {
  const worker = new Worker(moduleUrl("./read-stream-worker", import.meta.url), {
    workerData: { path, spec },
    // It makes much and keeps little: with room to grow, what it has let go would lie about.
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
