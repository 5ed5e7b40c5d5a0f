import type { EventId, QueryId } from "../contract/operations.ts";
import { moduleUrl } from "../kit/module-url.ts";
import { jobThread } from "../kit/threads/job-thread.ts";
import type { EventReader, EventReading } from "../server/contract/read-input.ts";
import type { EventJob } from "./event-reader-worker.ts";

/**
 * Reads large events in a separate thread, which the first of them starts. It does not share the thread for large
 * bodies: an export takes seconds there, and events of the floor must not wait for it. If the thread ends, the events
 * in it are answered as failed, and the platform sends them again.
 */
export function eventThread(): EventReader {
  const url = moduleUrl("./event-reader-worker", import.meta.url);
  const thread = jobThread<EventJob, EventReading>({ url, name: "reads large events" });

  const read = (id: EventId | QueryId, body: Uint8Array): Promise<EventReading> => {
    const bytes = alone(body);
    return thread.run({ id, bytes }, [bytes.buffer]);
  };

  return {
    read,
    problems: async (id, body) => {
      const reading = await read(id, body);
      if ("problems" in reading) return reading;
      throw new Error(`the body of ${id} is valid in one thread and not in the other`);
    },
    close: thread.close,
  };
}

/** Copies the bytes if they share memory with other bodies, because only memory of their own can be transferred. */
export function alone(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength;
  return isAlone ? new Uint8Array(buffer) : Uint8Array.from(body);
}
