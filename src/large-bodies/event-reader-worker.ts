import { parentPort } from "node:worker_threads";
import type { EventId, QueryId } from "../contract/operations.ts";
import { type EventReading, inputReader, readEvent } from "../server/contract/read-input.ts";

export interface EventJob {
  readonly job: number;
  readonly id: EventId | QueryId;
  readonly bytes: Uint8Array;
}
export type EventDone = { readonly job: number } & ({ readonly reading: EventReading } | { readonly failed: string });

if (parentPort === null) throw new Error("events are read here only in a worker thread");
const port = parentPort;
const reader = inputReader();

port.on("message", ({ job, id, bytes }: EventJob) => {
  const send = (done: EventDone) => port.postMessage(done);
  try {
    send({ job, reading: readEvent(reader, id, bytes) });
  } catch (error) {
    send({ job, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
