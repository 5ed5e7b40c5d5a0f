import type { ReadResult } from "../clients/reader.ts";
import { order } from "../data/orders.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/** One JSON.stringify of all orders: what the list costs a server that has them in memory as objects. */
const { orders, lines } = childSettings<{ orders: number; lines: number }>();

await serveJobs(() => {
  const data = Array.from({ length: orders }, (_, index) => order(index, lines));
  const envelope = { isResultSuccess: true, result: 2, validationStatus: null, externalMessage: null, data };
  return {
    run: (): ReadResult => {
      const startedAt = performance.now();
      const text = JSON.stringify(envelope);
      return { ms: performance.now() - startedAt, bytes: text.length };
    },
  };
});
