import type { Worker } from "node:worker_threads";
import { JournalBusy, JournalFailed } from "../journal.ts";
import type { Command, CommandName, Commands, Result, Results } from "./command.ts";
import type { FromWriter, ToWriter } from "./writer-worker.ts";

export interface GroupCommit {
  readonly run: <Name extends CommandName>(
    name: Name,
    command: Commands[Name],
    weight: Weight,
  ) => Promise<Results[Name]>;
  /** Runs with the next batch, and causes none of its own. */
  readonly addMark: (seq: number, at: number) => void;
  /** Settles when all that was begun is stored. */
  readonly drain: () => Promise<void>;
}

interface Weight {
  readonly entries: number;
  readonly bytes: number;
}

interface Waiting {
  readonly command: Command;
  readonly resolve: (done: never) => void;
  readonly reject: (error: Error) => void;
}

/** Marks are cheap, but nobody must wait for ever for a batch that takes them along. */
const marksPerBatch = 500;

/**
 * Group commit: one batch is with the writer, and all that arrives meanwhile is the next batch. The slower
 * the disk, the larger the batches, so that throughput hardly depends on it.
 */
export function groupCommit(worker: Worker, limits: { maxEntries: number; maxBytes: number }): GroupCommit {
  let waiting: Waiting[] = [];
  let marks: [number, number][] = [];
  let waitingEntries = 0;
  let waitingBytes = 0;
  let inFlight: Waiting[] | null = null;
  let drained: (() => void) | null = null;
  let dead: JournalFailed | null = null;

  const sendNext = () => {
    if (inFlight !== null || dead !== null) return;
    const hasMarks = marks.length > 0 && (waiting.length > 0 || marks.length >= marksPerBatch || drained !== null);
    if (waiting.length === 0 && !hasMarks) return drained?.();
    inFlight = waiting;
    if (hasMarks) inFlight.push({ command: { name: "markAnswered", marks }, resolve: () => {}, reject: () => {} });
    waiting = [];
    if (hasMarks) marks = [];
    waitingEntries = 0;
    waitingBytes = 0;
    worker.postMessage({ commands: inFlight.map(({ command }) => command) } satisfies ToWriter);
  };

  const settle = (results: readonly Result[]) => {
    const batch = inFlight ?? [];
    inFlight = null;
    // The next batch goes out before the answers of this one are written: the writer must not wait for them.
    sendNext();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      // The writer answers each command with the result of its own name.
      if (result !== undefined && "done" in result) resolve(result.done as never);
      else reject(new JournalFailed(result?.error ?? "the writer gave no result"));
    }
  };

  const die = (reason: string) => {
    dead ??= new JournalFailed(reason);
    for (const one of [...(inFlight ?? []), ...waiting]) one.reject(dead);
    inFlight = null;
    waiting = [];
    drained?.();
  };

  worker.on("message", (message: FromWriter) => {
    if (typeof message === "object" && "results" in message) settle(message.results);
  });
  worker.on("error", (error) => die(`the journal's writer failed: ${error.message}`));
  worker.on("exit", () => die("the journal's writer has stopped"));

  return {
    run: (name, command, { entries, bytes }) => {
      if (dead !== null) return Promise.reject(dead);
      if (drained !== null) return Promise.reject(new JournalFailed("the journal is closing"));
      // A single large push may exceed the bounds by itself; it is refused only if something waits before it.
      const overfull = waitingEntries + entries > limits.maxEntries || waitingBytes + bytes > limits.maxBytes;
      if (entries > 0 && overfull && waitingEntries > 0) return Promise.reject(new JournalBusy());
      waitingEntries += entries;
      waitingBytes += bytes;
      return new Promise((resolve, reject) => {
        // The first of a turn asks for the batch to be sent at the turn's end, with all that came in the same turn.
        if (waiting.length === 0 && inFlight === null) setImmediate(sendNext);
        // Name and command belong together by the signature; the union of all commands cannot express that.
        waiting.push({ command: { name, ...command } as unknown as Command, resolve, reject });
      });
    },
    addMark: (seq, at) => {
      marks.push([seq, at]);
      if (marks.length >= marksPerBatch && inFlight === null) setImmediate(sendNext);
    },
    drain: () =>
      new Promise<void>((resolve) => {
        drained = resolve;
        if (dead === null) sendNext();
        else resolve();
      }),
  };
}
