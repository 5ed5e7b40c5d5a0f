import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { SourceRecord, SourceRecords } from "../../../mapping/documents/source-records.ts";
import { answerOf } from "./read-aside.ts";
import type { SourceSpec } from "./read-records-from.ts";
import type { StreamedPortion, ToStreamThread } from "./read-stream-worker.ts";

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
    // The limit of the old generation is far more than it needs; but with a small limit it is collected earlier.
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 },
  });
  const close = async () => void (await worker.terminate());
  let passes = 0;
  try {
    // What our own worker says first.
    const head = (await answerOf(worker)) as Head | Refused;
    if (!("refusal" in head)) return { ...head, portions: () => portionsOf(worker, ++passes), close };
    await close();
    return head;
  } catch (error) {
    await close();
    throw error;
  }
}

async function* portionsOf(worker: Worker, pass: number): AsyncGenerator<readonly SourceRecord[]> {
  const ask = async (): Promise<StreamedPortion> => {
    worker.postMessage({ pass } satisfies ToStreamThread);
    for (;;) {
      // What our own worker answers to each of these messages.
      const portion = (await answerOf(worker)) as StreamedPortion;
      // An earlier pass that was left before its end has asked for one portion more than it took.
      if (portion.pass === pass) return portion;
    }
  };
  let next = ask();
  for (;;) {
    const { records, isMore } = await next;
    // The next portion is read while this one is stored; waiting in turn takes almost twice as long.
    if (isMore) next = ask();
    // Heard of in the next round; unheard until then, an error would end the process.
    next.catch(() => {});
    // Text that our own worker wrote from records.
    yield JSON.parse(records) as readonly SourceRecord[];
    if (!isMore) return;
  }
}
