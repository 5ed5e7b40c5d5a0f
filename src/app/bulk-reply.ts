import type { Worker } from "node:worker_threads";
import type { BulkAnswer } from "../http/bulk-road.ts";
import type { BulkPart, FromBulk } from "./bulk-worker.ts";

export type BulkDone = BulkPart | BulkAnswer;

export interface BulkReply {
  /** Settles with what is done in one go, or as soon as an answer begins. */
  readonly first: Promise<BulkDone>;
  /** Settles when the thread is free again, or gone. */
  readonly over: Promise<void>;
  /** Gives up: what was begun ends with this error. */
  readonly fail: (error: Error) => void;
}

/** Hears the reply to the one job that a thread is given now. */
export function bulkReply(worker: Worker): BulkReply {
  const { promise: first, resolve, reject } = Promise.withResolvers<BulkDone>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const arrived: Uint8Array[] = [];
  let isOver = false;
  let failure: Error | null = null;
  let wake = () => {};

  const finish = (error: Error | null) => {
    worker.off("message", heard).off("error", finish).off("exit", exited);
    isOver = true;
    failure = error;
    // No more than what it already was, where the answer has begun.
    if (error !== null) reject(error);
    wake();
    end();
  };
  const exited = () => finish(new Error("the thread for large bodies has ended"));
  const heard = (message: FromBulk) => {
    if (message === "ended") return finish(null);
    if ("failed" in message) return finish(new Error(message.failed));
    if ("begun" in message) return resolve({ ...message.begun, chunks: chunks() });
    if ("done" in message) {
      resolve(message.done);
      return finish(null);
    }
    arrived.push(message.chunk);
    wake();
  };
  worker.on("message", heard).on("error", finish).on("exit", exited);

  /** A slow reader holds up nobody: what it has not taken waits here, and the thread goes on. */
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = arrived.shift();
      if (chunk !== undefined) yield chunk;
      else if (failure !== null) throw failure;
      else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return { first, over, fail: finish };
}
