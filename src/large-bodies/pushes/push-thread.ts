import { Worker } from "node:worker_threads";
import type { Config } from "../../config/config-schema.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import { withDeadline } from "../../kit/time/clock.ts";
import { Fault } from "../../operation/fault.ts";
import type { FromPushThread, ToPushThread } from "./push-worker.ts";
import type { PushStep } from "./read-in-parts.ts";

export interface PushThread {
  /** Returns the next step of the current push. A step that takes too long is aborted together with the thread. */
  readonly step: (message: ToPushThread) => Promise<PushStep>;
  readonly stop: () => Promise<void>;
}

/**
 * Reads one push at a time. The first push starts the thread; it is started again after it was stopped or has crashed.
 */
export function pushThread(config: Config): PushThread {
  let worker: Worker | null = null;

  const start = () => {
    const started = new Worker(moduleUrl("./push-worker", import.meta.url), {
      workerData: config,
      // The thread needs only a few pieces of a body at a time; without a limit its memory grows before it is
      // collected. Measured: with half of this limit, a long push takes twice as much memory. The old generation gets
      // 512 MB, more than any push needs, because with a small limit it is collected at half its size.
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 },
    });
    // The waiting step handles the error. Without a listener, an error between two steps would end the whole process.
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
      const settle = () => asked.off("message", onMessage).off("error", failed).off("exit", exited);
      const onMessage = (message: FromPushThread) => {
        settle();
        resolve(message);
      };
      const failed = (error: Error) => {
        settle();
        reject(new Fault("unreachable", error.message, { cause: error }));
      };
      const exited = () => failed(new Error("the thread for pushes has ended"));
      asked.on("message", onMessage).on("error", failed).on("exit", exited);
    });

  return {
    step: async (message) => {
      // The push was in a thread that has ended, so it cannot be continued.
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

/** Transferring a buffer empties it here, so it is transferred only if it contains nothing but this body. */
function transferable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
