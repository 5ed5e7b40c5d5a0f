import { loadAndBare } from "../../harness/load-and-bare.ts";
import type { Figure } from "../../harness/report/measurement.ts";

export const step: Figure = {
  name: "step",
  chapter: "Answers",
  summary:
    "POST ConfirmWorkOrderStep (1.2 KB with an update model of 5 lines, every confirmation another one), journaled, " +
    "booked and synced to disk before the answer, 64 connections on neighbouring orders (on orders far apart more pages " +
    "are written per commit), against the same routes with a journal that stores nothing.",
  costs:
    "One confirmation takes 65 to 90 µs in the writer thread, a third of it the commit of the five pages that it touches, " +
    "and 10 to 20 µs more in the server thread for handing it over and back. On two cores both compete with the load " +
    "generator, so that the sum counts and not the longer of the two.",
  measure: async (workshop) => {
    const load = { kind: "step", firstOrder: 0, ordersPerConnection: 70 } as const;
    const { perSecond, p99Ms } = await loadAndBare(workshop, load);
    return [
      {
        what: "Confirmed step, 64 connections",
        unit: "1/s",
        ...perSecond,
        bar: { of: "ratio", at: "least", limit: 0.6 },
      },
      {
        what: "Confirmed step, slowest of a hundred (p99)",
        unit: "ms",
        ...p99Ms,
        bar: { of: "ratio", at: "most", limit: 3 },
      },
    ];
  },
};
