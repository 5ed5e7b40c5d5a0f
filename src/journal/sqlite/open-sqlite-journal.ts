import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import { type Appended, type Journal, JournalBusy, JournalFailed, type NewEntry } from "../journal.ts";
import type { GroupResult } from "./writer.ts";
import type { FromWriter, ToWriter, WriterSettings } from "./writer-worker.ts";

export interface SqliteJournalOptions {
  readonly databaseFile: string;
  readonly residentModule?: URL | undefined;
  readonly residentOptions?: unknown;
  readonly maxWaitingEntries?: number;
  readonly maxWaitingBytes?: number;
}

interface Waiting {
  readonly entries: readonly NewEntry[];
  readonly bytes: number;
  readonly resolve: (appended: readonly Appended[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit: the writer takes all that has arrived whenever it is free, and commits it as one. The slower
 * the disk, the larger the batches, so that throughput hardly depends on it. Entries are handed over at the end
 * of the turn they came in, so that the writer, between two batches, never waits for this thread to be free.
 */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  const { maxWaitingEntries = 5000, maxWaitingBytes = 64 * 2 ** 20 } = options;
  const worker = await startWriter(options);

  let arrived: Waiting[] = [];
  /** Handed over and not settled yet, oldest first: the writer answers in this order. */
  let handedOver: Waiting[] = [];
  let waitingEntries = 0;
  let waitingBytes = 0;
  let closing: (() => void) | null = null;
  let dead: JournalFailed | null = null;

  const handOver = () => {
    if (arrived.length === 0) return;
    worker.postMessage({ groups: arrived.map((one) => one.entries) } satisfies ToWriter);
    handedOver.push(...arrived);
    arrived = [];
  };

  const settle = (results: readonly GroupResult[]) => {
    const settled = handedOver.splice(0, results.length);
    for (const [index, one] of settled.entries()) {
      waitingEntries -= one.entries.length;
      waitingBytes -= one.bytes;
      const result = results[index];
      if (result !== undefined && "appended" in result) one.resolve(result.appended);
      else one.reject(new JournalFailed(result?.error ?? "the writer gave no result"));
    }
    if (waitingEntries === 0) closing?.();
  };

  const die = (reason: string) => {
    dead ??= new JournalFailed(reason);
    for (const one of [...handedOver, ...arrived]) one.reject(dead);
    handedOver = [];
    arrived = [];
    closing?.();
  };

  worker.on("message", (message: FromWriter) => {
    if (typeof message === "object" && "results" in message) settle(message.results);
  });
  worker.on("error", (error) => die(`the journal's writer failed: ${error.message}`));
  worker.on("exit", () => die("the journal's writer has stopped"));

  return {
    append: (entries) => {
      if (dead !== null) return Promise.reject(dead);
      if (closing !== null) return Promise.reject(new JournalFailed("the journal is closing"));
      const bytes = entries.reduce((sum, entry) => sum + entry.body.length + (entry.payload?.length ?? 0), 0);
      // A single large push may exceed the bounds by itself; it is refused only if something waits before it.
      const overfull = waitingEntries + entries.length > maxWaitingEntries || waitingBytes + bytes > maxWaitingBytes;
      if (overfull && waitingEntries > 0) return Promise.reject(new JournalBusy());
      waitingEntries += entries.length;
      waitingBytes += bytes;
      return new Promise((resolve, reject) => {
        // The first of a turn asks for the hand-over at the turn's end, with all that came in the same turn.
        if (arrived.length === 0) setImmediate(handOver);
        arrived.push({ entries, bytes, resolve, reject });
      });
    },
    close: async () => {
      if (dead !== null) return;
      await new Promise<void>((resolve) => {
        closing = resolve;
        if (waitingEntries === 0) resolve();
      });
      const exited = once(worker, "exit");
      worker.postMessage("close" satisfies ToWriter);
      await exited;
    },
  };
}

async function startWriter(options: SqliteJournalOptions): Promise<Worker> {
  const settings: WriterSettings = {
    databaseFile: options.databaseFile,
    residentModule: options.residentModule?.href ?? null,
    residentOptions: options.residentOptions ?? null,
  };
  const worker = new Worker(moduleUrl("./writer-worker", import.meta.url), { workerData: settings });
  const [message] = (await once(worker, "message")) as [FromWriter];
  if (typeof message === "object" && "failed" in message) throw new JournalFailed(message.failed);
  return worker;
}
