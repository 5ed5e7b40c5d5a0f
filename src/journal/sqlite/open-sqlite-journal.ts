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
 * Group commit: one batch is with the writer, and all that arrives meanwhile is the next batch. The slower
 * the disk, the larger the batches, so that throughput hardly depends on it.
 */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  const { maxWaitingEntries = 5000, maxWaitingBytes = 64 * 2 ** 20 } = options;
  const worker = await startWriter(options);

  let waiting: Waiting[] = [];
  let waitingEntries = 0;
  let waitingBytes = 0;
  let inFlight: Waiting[] | null = null;
  let closing: (() => void) | null = null;
  let dead: JournalFailed | null = null;

  const sendNext = () => {
    if (inFlight !== null || dead !== null) return;
    if (waiting.length === 0) return closing?.();
    inFlight = waiting;
    waiting = [];
    waitingEntries = 0;
    waitingBytes = 0;
    worker.postMessage({ groups: inFlight.map((one) => one.entries) } satisfies ToWriter);
  };

  const settle = (results: readonly GroupResult[]) => {
    const batch = inFlight ?? [];
    inFlight = null;
    // The next batch goes out before the answers of this one are written: the writer must not wait for them.
    sendNext();
    for (const [index, one] of batch.entries()) {
      const result = results[index];
      if (result !== undefined && "appended" in result) one.resolve(result.appended);
      else one.reject(new JournalFailed(result?.error ?? "the writer gave no result"));
    }
  };

  const die = (reason: string) => {
    dead ??= new JournalFailed(reason);
    for (const one of [...(inFlight ?? []), ...waiting]) one.reject(dead);
    inFlight = null;
    waiting = [];
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
        // The first of a turn asks for the batch to be sent at the turn's end, with all that came in the same turn.
        if (waiting.length === 0 && inFlight === null) setImmediate(sendNext);
        waiting.push({ entries, bytes, resolve, reject });
      });
    },
    close: async () => {
      if (dead !== null) return;
      await new Promise<void>((resolve) => {
        closing = resolve;
        sendNext();
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
