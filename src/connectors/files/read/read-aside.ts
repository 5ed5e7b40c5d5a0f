import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { parseJsonKeepingDigits } from "../../../kit/json/exact-number.ts";
import { moduleUrl } from "../../../kit/module-url.ts";
import type { SourceRecord, SourceRecords } from "../../../mapping/documents/source-records.ts";
import { Fault } from "../../../operation/fault.ts";
import { readSource, type SourceSpec } from "./read-records-from.ts";
import type { SourcePortion } from "./read-source-worker.ts";
import type { StreamedPortion, ToStreamThread } from "./read-stream-worker.ts";

type Head = Omit<Extract<SourceRecords, { records: unknown }>, "records">;

export type ArrivingRecords =
  | (Head & { readonly portions: AsyncIterable<readonly SourceRecord[]> })
  | Extract<SourceRecords, { refusal: unknown }>;

/** Smaller files are parsed faster than a thread starts. */
const smallBytes = 256 * 1024;

/**
 * Reads the records of a file. A large file is parsed in its own thread, which takes ownership of the bytes: the
 * caller's buffer is empty afterwards. The caller must read all portions, otherwise the thread stays open.
 */
export async function readAside(bytes: Uint8Array, spec: SourceSpec, limit: number): Promise<ArrivingRecords> {
  if (bytes.byteLength <= smallBytes) {
    const found = readSource(bytes, spec);
    if ("refusal" in found) return found;
    const { records, ...head } = found;
    return { ...head, portions: here(records.slice(0, limit)) };
  }
  const worker = new Worker(moduleUrl("./read-source-worker", import.meta.url), {
    workerData: { bytes, spec, limit },
    transferList: isAlone(bytes) ? [bytes.buffer] : [],
  });
  try {
    // The first message always comes from our own worker.
    const head = (await answerOf(worker)) as Head | Extract<SourceRecords, { refusal: unknown }>;
    if (!("refusal" in head)) return { ...head, portions: portionsOf(worker) };
    await worker.terminate();
    return head;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Whether the underlying memory holds only this file, so that it can be transferred instead of copied. */
const isAlone = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;

async function* here(records: readonly SourceRecord[]) {
  yield records;
}

async function* portionsOf(worker: Worker): AsyncGenerator<readonly SourceRecord[]> {
  try {
    for (let isMore = true; isMore; ) {
      worker.postMessage("more");
      // Our own worker's answer to "more".
      const portion = (await answerOf(worker)) as SourcePortion;
      const { records } = portion;
      // Text that our own worker wrote from records.
      yield typeof records === "string" ? (parseJsonKeepingDigits(records) as SourceRecord[]) : records;
      isMore = portion.isMore;
    }
  } finally {
    await worker.terminate();
  }
}

/**
 * The next message of the thread. `once` rejects if the thread fails, but a thread that just exits emits no message.
 */
async function answerOf(worker: Worker): Promise<unknown> {
  const ending = new AbortController();
  const gone = once(worker, "exit", { signal: ending.signal }).then(() => {
    throw new Fault("broken", "the thread that reads the file has ended");
  });
  try {
    // `once` returns the arguments of the event as a list: a message has one.
    const [answer] = (await Promise.race([once(worker, "message"), gone])) as [unknown];
    return answer;
  } finally {
    ending.abort();
    // It rejects because it was just cancelled; an unhandled rejection would end the process.
    gone.catch(() => {});
  }
}

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
    // The thread allocates much and keeps little: without a limit, its garbage grows to four times what it keeps. The
    // rows of orders whose rows are not adjacent have to fit, up to 1.3 GB if they are long.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1800 },
  });
  const close = async () => void (await worker.terminate());
  let passes = 0;
  try {
    // Our own worker sends this first.
    const head = (await answerOf(worker)) as Head | Refused;
    if (!("refusal" in head)) return { ...head, portions: () => streamedPortions(worker, ++passes), close };
    await close();
    return head;
  } catch (error) {
    await close();
    throw error;
  }
}

async function* streamedPortions(worker: Worker, pass: number): AsyncGenerator<readonly SourceRecord[]> {
  const request = async (): Promise<StreamedPortion> => {
    worker.postMessage({ pass } satisfies ToStreamThread);
    for (;;) {
      // Our own worker sends one portion for each of these messages.
      const portion = (await answerOf(worker)) as StreamedPortion;
      // An earlier pass that was stopped before its end has requested one portion more than it received.
      if (portion.pass === pass) return portion;
    }
  };
  let next = request();
  for (;;) {
    const { records, isMore } = await next;
    // The thread reads the next portion while this one is stored.
    if (isMore) next = request();
    // Awaited in the next round; an unhandled rejection would end the process until then.
    next.catch(() => {});
    yield records;
    if (!isMore) return;
  }
}
