import { Worker } from "node:worker_threads";
import type { EventId, QueryId } from "../contract/operations.ts";
import { moduleUrl } from "../kit/module-url.ts";
import type { EventReader, EventReading } from "../server/contract/read-input.ts";
import type { EventDone, EventJob } from "./event-reader-worker.ts";

interface Waiting {
  readonly resolve: (reading: EventReading) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads large events in a thread of its own, started by the first of them. It does not share the thread for large
 * bodies: an export takes seconds there, and events of the floor must not wait for it.
 */
export function eventThread(): EventReader {
  let worker: Worker | null = null;
  let lastJob = 0;
  const waiting = new Map<number, Waiting>();

  const start = (): Worker => {
    const started = new Worker(moduleUrl("./event-reader-worker", import.meta.url));
    started.on("message", (done: EventDone) => {
      const asked = waiting.get(done.job);
      waiting.delete(done.job);
      if ("reading" in done) asked?.resolve(done.reading);
      else asked?.reject(new Error(done.failed));
    });
    const gone = (error: Error) => {
      if (worker === started) worker = null;
      // The next event starts another thread. Events in this one are answered as failed, and the platform sends them
      // again.
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on("error", gone);
    started.on("exit", () => gone(new Error("the thread that reads large events has ended")));
    started.unref();
    return started;
  };

  const read = (id: EventId | QueryId, body: Uint8Array): Promise<EventReading> =>
    new Promise((resolve, reject) => {
      worker ??= start();
      const job = ++lastJob;
      waiting.set(job, { resolve, reject });
      const bytes = alone(body);
      const message: EventJob = { job, id, bytes };
      worker.postMessage(message, [bytes.buffer]);
    });

  return {
    read,
    problems: async (id, body) => {
      const reading = await read(id, body);
      if ("problems" in reading) return reading;
      throw new Error(`the body of ${id} is valid in one thread and not in the other`);
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}

/** Copies the bytes if they share memory with other bodies: only memory of their own can be transferred. */
function alone(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength;
  return isAlone ? new Uint8Array(buffer) : Uint8Array.from(body);
}
