import { loadAndBare } from "../../harness/load-and-bare.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { largeStore } from "../sizes.ts";

export const push: Figure = {
  name: "push",
  chapter: "Answers",
  summary:
    "POST /inbound/work-orders, one new order of 5 lines (1.4 KB) at a time, 64 connections with the API key, journaled, " +
    "applied to a store of 100,000 orders and synced to disk before the answer, against the same routes with a journal that " +
    "stores nothing.",
  measure: async (workshop) => {
    const load = { kind: "push", firstOrder: largeStore.orders, ordersPerConnection: 300 } as const;
    const { perSecond, p99Ms } = await loadAndBare(workshop, load);
    return [
      {
        what: "Pushed order, 64 connections",
        unit: "1/s",
        ...perSecond,
        bar: { of: "ratio", at: "least", limit: 0.5 },
      },
      { what: "Pushed order, slowest of a hundred (p99)", unit: "ms", ...p99Ms },
    ];
  },
};
