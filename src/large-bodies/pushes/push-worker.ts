import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../../config/config-schema.ts";
import { modesOf } from "../../config/sections/forward-options.ts";
import { newId } from "../../kit/ids.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { inboundTables } from "../../server/inbound/inbound-route.ts";
import { type PushStep, readInParts } from "./read-in-parts.ts";

/** The first message is the push with its bytes; each further message requests the next step. */
export type ToPushThread =
  | {
      readonly routeName: string;
      readonly body: Uint8Array;
      readonly sender: string;
      readonly trace: string | undefined;
      readonly receivedAt: number;
    }
  | "next";
export type FromPushThread = PushStep | { readonly failed: string };

if (parentPort === null) throw new Error("pushes are read only in a worker thread");
const port = parentPort;
// The code that starts this thread passes exactly this.
const config = workerData as Config;
const inbound = inboundTables(config, "");
const modes = modesOf(config.platform.forward);
const newEntryId = () => `evt_${newId(systemClock)}`;
// A lower priority than the threads that the floor waits for. On other systems this would change the whole process.
if (process.platform === "linux") setPriority(0, 10);
let steps: AsyncGenerator<PushStep> | null = null;
let bytes: Uint8Array | null = null;

/** Releases the body at once: while the push is stored, nothing triggers a garbage collection in this thread. */
function release(): void {
  if (bytes?.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
  bytes = null;
  steps = null;
}

const send = (message: FromPushThread) =>
  port.postMessage(message, "part" in message ? message.part.chunks.map(({ buffer }) => buffer) : []);

port.on("message", async (message: ToPushThread) => {
  try {
    if (message !== "next") {
      const route = inbound.find(message.routeName);
      if (route === undefined) throw new Error(`there is no route ${message.routeName}`);
      const { body, sender, trace, receivedAt } = message;
      bytes = body;
      steps = readInParts(route, body, { sender, trace, receivedAt, newEntryId, modes });
    }
    const step = await steps?.next();
    if (step === undefined || step.done) throw new Error("there is no further step of this push");
    if (!("part" in step.value)) release();
    send(step.value);
  } catch (error) {
    release();
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
