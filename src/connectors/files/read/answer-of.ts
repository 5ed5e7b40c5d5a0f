import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { Fault } from "../../../sdk/fault.ts";

/** What the thread says next. `once` rejects where it fails; a thread that only ends says nothing at all. */
export async function answerOf(worker: Worker): Promise<unknown> {
  const ending = new AbortController();
  const gone = once(worker, "exit", { signal: ending.signal }).then(() => {
    throw new Fault("broken", "the thread that reads the file has ended");
  });
  try {
    const [answer] = (await Promise.race([once(worker, "message"), gone])) as [unknown];
    return answer;
  } finally {
    ending.abort();
    gone.catch(() => {});
  }
}
