import { EventEmitter, once } from "node:events";
import { MessageChannel, type MessagePort, type Transferable, Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { FromWriter, ToWriter, ToWriterThread, WriterSettings } from "./writer/writer-messages.ts";

/** The writer of one journal, in whatever thread it runs. */
export interface WriterPort {
  readonly postMessage: (message: ToWriter, transfer?: readonly Transferable[]) => void;
  /** `exit` comes last: when its files are closed, or the thread is gone. */
  readonly on: ((event: "message", listener: (message: FromWriter) => void) => unknown) &
    ((event: "error", listener: (error: Error) => void) => unknown) &
    ((event: "exit", listener: () => void) => unknown);
  /** Settles with the first message. */
  readonly first: () => Promise<FromWriter>;
  /** Settles when the writer has ended. */
  readonly ended: Promise<void>;
}

/** A place for a journal's writer in a thread that has loaded its modules. No file is touched yet. */
export interface PreparedWriter {
  /** Settles when the modules are loaded. */
  readonly loaded: Promise<void>;
  /** Opens the journal. The second port, if there is one, is passed to the thread. */
  readonly begin: (settings: WriterSettings, port: MessagePort | undefined) => WriterPort;
  /** Gives the place back, if it is not needed. */
  readonly discard: () => Promise<void>;
}

/** A thread for the writers of journals. */
export interface WriterThread {
  readonly loaded: Promise<void>;
  readonly begin: PreparedWriter["begin"];
  readonly isOver: () => boolean;
  readonly end: () => Promise<void>;
}

/** Starts a thread that loads these modules. */
export function startWriterThread(modules: readonly URL[]): WriterThread {
  const worker = new Worker(moduleUrl("./writer/writer-worker", import.meta.url), {
    workerData: modules.map(({ href }) => href),
    // Objects live for one commit: with a larger young generation, a long push would only accumulate garbage. The old
    // generation's limit is far more than the writer ever needs, but with a smaller one the rest of the heap is
    // collected earlier, too.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1024 },
  });
  // Every journal of the thread listens.
  worker.setMaxListeners(0);
  let isOver = false;
  worker.once("exit", () => {
    isOver = true;
  });
  const loaded = once(worker, "message").then(() => {});
  // Whoever begins or waits gets the error.
  loaded.catch(() => {});
  return {
    loaded,
    begin: (settings, replicaPort) => {
      const { port1, port2 } = new MessageChannel();
      const begin: ToWriterThread = { begin: settings, port: port2 };
      worker.postMessage(begin, replicaPort === undefined ? [port2] : [port2, replicaPort]);
      return writerPort(worker, port1, isOver);
    },
    isOver: () => isOver,
    end: async () => void (await worker.terminate()),
  };
}

function writerPort(worker: Worker, port: MessagePort, isOver: boolean): WriterPort {
  const events = new EventEmitter();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let isEnded = false;
  let isReady = false;
  // An error without a listener would end the process.
  events.on("error", () => {});
  const onError = (error: Error) => void events.emit("error", error);
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    worker.off("error", onError);
    worker.off("exit", end);
    port.close();
    events.emit("exit");
    resolve();
  };
  worker.on("error", onError);
  worker.on("exit", end);
  // The thread has failed since it was prepared: it says nothing any more.
  if (isOver) setImmediate(end);
  port.on("message", (message: FromWriter) => {
    if ("closed" in message) end();
    // Before it is ready, whoever opens it waits for this message.
    else if ("failed" in message && isReady) onError(new Error(message.failed));
    else events.emit("message", message);
    isReady ||= "ready" in message;
  });
  return {
    postMessage: (message, transfer = []) => port.postMessage(message, transfer),
    on: (event: string, listener: (...given: never[]) => void) =>
      // Emitted above with what the listeners of each event expect.
      events.on(event, listener as (...given: unknown[]) => void),
    first: () =>
      new Promise((resolveFirst, reject) => {
        events.once("message", resolveFirst);
        events.once("error", reject);
        events.once("exit", () => reject(new Error("the journal's writer has stopped")));
      }),
    ended,
  };
}

/**
 * Starts a thread for one journal. On a busy machine that takes longer than opening the journal, so a process that
 * expects to own a deployment does it before.
 */
export const prepareWriter = (modules: readonly URL[]): PreparedWriter => onlyWriterOf(startWriterThread(modules));

/** The thread ends with its journal. */
export function onlyWriterOf(thread: WriterThread): PreparedWriter {
  return {
    loaded: thread.loaded,
    begin: (settings, port) => {
      const writer = thread.begin(settings, port);
      const ended = writer.ended.then(thread.end);
      return { ...writer, ended };
    },
    discard: thread.end,
  };
}
