import type { OrderExplanation } from "../../engine/journal-view/order-records.ts";
import { parseInTurns } from "../../kit/json/parse-in-turns.ts";
import { moduleUrl } from "../../kit/module-url.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { jobThread } from "../../large-bodies/job-thread.ts";
import type { ExplainJob, ExplainResult } from "./explain-worker.ts";

export interface ExplainThread {
  /** Null if the order is not known. */
  readonly explain: (orderNumber: string) => Promise<OrderExplanation | null>;
  readonly close: () => Promise<void>;
}

/** People look at the reasons of an order now and then, so the idle thread ends soon and releases its memory. */
const idleMs = 60_000;
/** A thread that needs more memory ends, and the adapter goes on. */
const mostHeapMb = 512;
/** An explanation has four levels. */
const maxDepth = 16;

/**
 * Explains orders in a thread with its own connection. An order of ten thousand lines takes a second, and events must
 * not wait for it.
 */
export function explainThread(databaseFile: string, timers: Timers): ExplainThread {
  const thread = jobThread<ExplainJob, ExplainResult>({
    url: moduleUrl("./explain-worker", import.meta.url),
    name: "explains orders",
    workerData: databaseFile,
    endWhenIdle: { afterMs: idleMs, timers },
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  return {
    explain: async (orderNumber) => {
      const json = await thread.run({ orderNumber });
      // The worker writes what `explainOrder` returns.
      return (await parseInTurns(Buffer.from(json.buffer), { parse: JSON.parse, maxDepth })) as OrderExplanation | null;
    },
    close: thread.close,
  };
}
