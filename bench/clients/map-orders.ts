import { pushedWorkOrderSchema } from "../../src/contract/pushes.ts";
import { compileMapping } from "../../src/mapping/compile-mapping.ts";
import { erpDates, erpMapping, erpOrder } from "../data/erp-orders.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

export interface MapSettings {
  readonly orders: number;
  readonly lines: number;
}

export interface MapResult {
  readonly ms: number;
  /** A part of the result, to verify that both sides do the same. */
  readonly sample: string;
}

/** Maps orders by the rules of a configuration. */
const { orders, lines } = childSettings<MapSettings>();

await serveJobs(() => {
  const mapping = compileMapping(erpMapping, { dates: erpDates, target: pushedWorkOrderSchema });
  const records = Array.from({ length: orders }, (_, index) => erpOrder(index, lines));
  return {
    run: async (): Promise<MapResult> => {
      const startedAt = performance.now();
      const mapped: unknown[] = [];
      for (const record of records) {
        const made = mapping.apply(record);
        const { value, problems } = made instanceof Promise ? await made : made;
        if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));
        mapped.push(value);
      }
      return { ms: performance.now() - startedAt, sample: JSON.stringify(mapped.slice(0, 20)) };
    },
  };
});
