import { Worker } from "node:worker_threads";
import type { Config } from "../../config/config-schema.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import { withDeadline } from "../../kit/time/clock.ts";
import { Fault } from "../../operation/fault.ts";
import type { FromPushThread, ToPushThread } from "./push-worker.ts";
import type { PushStep } from "./read-in-parts.ts";

export interface PushThread {
  /** The next step of the one push it has. One that takes too long is given up together with its thread. */
  readonly step: (message: ToPushThread) => Promise<PushStep>;
  readonly stop: () => Promise<void>;
}

/** Reads one push at a time. Started by the first, and anew after it was stopped or has died. */
export function pushThread(config: Config): PushThread {
  let worker: Worker | null = null;

  const start = () => {
    const started = new Worker(moduleUrl("./push-worker", import.meta.url), {
      workerData: config,
      // What it holds is a few pieces of a body: without a bound its memory grows before it is collected. With half of
      // this a long push was measured to take twice as much of it.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    });
    // Heard by whoever waits for a step; without a listener between two steps it would end the whole process.
    started.on("error", () => {});
    started.once("exit", () => {
      if (worker === started) worker = null;
    });
    return started;
  };

  const stop = async () => {
    const stopping = worker;
    worker = null;
    await stopping?.terminate();
  };

  const answerOf = (asked: Worker) =>
    new Promise<FromPushThread>((resolve, reject) => {
      const settle = () => asked.off("message", heard).off("error", failed).off("exit", exited);
      const heard = (message: FromPushThread) => {
        settle();
        resolve(message);
      };
      const failed = (error: Error) => {
        settle();
        reject(new Fault("unreachable", error.message, { cause: error }));
      };
      const exited = () => failed(new Error("the thread for pushes has ended"));
      asked.on("message", heard).on("error", failed).on("exit", exited);
    });

  return {
    step: async (message) => {
      // A push that was begun is in the thread that has ended.
      if (message === "next" && worker === null) throw new Fault("unreachable", "the thread for pushes has ended");
      worker ??= start();
      const answered = answerOf(worker);
      worker.postMessage(message, message === "next" ? [] : transferable(message.body));
      const answer = await withDeadline(answered, config.budgets.listMs, () => void stop()).catch((error: Error) => {
        throw error instanceof Fault ? error : new Fault("unreachable", error.message, { cause: error });
      });
      if ("failed" in answer) throw new Error(answer.failed);
      return answer;
    },
    stop,
  };
}

/** Handing a buffer over empties it here, so only one that holds nothing but this body may go. */
function transferable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
