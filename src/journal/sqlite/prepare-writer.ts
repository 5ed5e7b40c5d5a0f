import { once } from "node:events";
import { type MessagePort, Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { ToWriter, WriterSettings } from "./writer/writer-messages.ts";

/** A thread for the journal's writer that has loaded its modules and touched no file yet. */
export interface PreparedWriter {
  /** Settles when the modules are loaded. */
  readonly loaded: Promise<void>;
  /** Opens the journal. The port, if there is one, is passed to the thread. */
  readonly begin: (settings: WriterSettings, port: MessagePort | undefined) => Worker;
  /** Ends the thread, if it is not needed. */
  readonly discard: () => Promise<void>;
}

/**
 * Starts the thread. On a busy machine that takes longer than opening the journal, so a process that expects to own a
 * deployment does it before.
 */
export function prepareWriter(modules: readonly URL[]): PreparedWriter {
  const worker = new Worker(moduleUrl("./writer/writer-worker", import.meta.url), {
    workerData: modules.map(({ href }) => href),
    // Objects live for one commit: with a larger young generation, a long push would only accumulate garbage. The old
    // generation's limit is far more than the writer ever needs, but with a smaller one the rest of the heap is
    // collected earlier, too.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 },
  });
  const loaded = once(worker, "message").then(() => {});
  // Whoever begins or waits gets the error.
  loaded.catch(() => {});
  return {
    loaded,
    begin: (settings, port) => {
      worker.postMessage({ begin: settings } satisfies ToWriter, port === undefined ? [] : [port]);
      return worker;
    },
    discard: async () => {
      await worker.terminate();
    },
  };
}
