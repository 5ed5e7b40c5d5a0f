import { parentPort, workerData } from "node:worker_threads";
import { keepTicksFast } from "../../../kit/threads/keep-ticks-fast.ts";
import { hostWriter } from "./host-writer.ts";
import type { FromWriterThread, ToWriterThread } from "./writer-messages.ts";

if (parentPort === null) throw new Error("the journal's writer runs only as a worker thread");
const parent = parentPort;
keepTicksFast();
/** How many journals this thread writes. */
let hosted = 0;
// Alone, a journal need not wait for others.
const inTurn = (work: () => void) => void (hosted > 1 ? setImmediate(work) : work());

parent.on("message", ({ begin, port }: ToWriterThread) => {
  hosted++;
  port.once("close", () => hosted--);
  void hostWriter({ port, settings: begin, inTurn });
});
// `prepare-writer.ts` names modules that are needed later. If one cannot be loaded, its import reports that.
await Promise.allSettled((workerData as string[]).map((href) => import(href)));
parent.postMessage({ loaded: true } satisfies FromWriterThread);
