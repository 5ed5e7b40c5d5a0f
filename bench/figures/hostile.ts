import { setTimeout as sleep } from "node:timers/promises";
import { longAnswersConfig } from "../../test/support/receivers/long-answers.ts";
import type { HostileJob } from "../clients/hostile.ts";
import type { ProbeJob } from "../clients/probe.ts";
import { quantile } from "../harness/median.ts";
import { startAdapter, startHostile, startLongAnswers, startProbe, withChildren } from "../harness/programs.ts";
import type { Figure } from "../harness/report/measurement.ts";
import { listStore } from "./sizes.ts";

const quietMs = 10_000;
const loadedMs = 3_000;
const rounds = 20;

export const hostile: Figure = {
  name: "hostile",
  chapter: "Answers",
  summary:
    "GET /Status at 50 per second while requests come one after another that would stop a careless service: 600,000 unknown " +
    "members, 2.6 million empty elements, an order number of 7.9 MB, thousands of errors in a few kilobytes, a report of a million " +
    "numbers, a step of 10,000 lines; and orders, items, images and answers to events of several megabytes from an external system; " +
    "against the ten seconds before.",
  measure: async (workshop) => {
    const erp = await startLongAnswers();
    const config = longAnswersConfig(erp.url);
    const adapter = await startAdapter(await workshop.ownStore(listStore), { config });
    const probe = await startProbe();
    const sender = await startHostile();
    return await withChildren([adapter, erp, probe, sender], async () => {
      const { url } = adapter;
      const during = async (work: () => Promise<unknown>) => {
        await probe.run({ start: url } satisfies ProbeJob);
        await work();
        return await probe.run<number[]>("stop" satisfies ProbeJob);
      };
      // Waits until everything is loaded that is loaded a second after a start. The first large body starts the threads
      // that read large bodies.
      await sleep(loadedMs);
      const first = await during(() => sender.run({ url, rounds: 1 } satisfies HostileJob));
      const quiet = await during(() => sleep(quietMs));
      const busy = await during(() => sender.run({ url, rounds } satisfies HostileJob));
      return [
        {
          what: "GET /Status beside hostile requests, to the quiet one (p99)",
          unit: "ms",
          ours: quantile(busy, 0.99),
          bare: quantile(quiet, 0.99),
        },
        {
          what: "GET /Status beside the first of each after a start, the slowest",
          unit: "ms",
          ours: Math.max(...first),
        },
        {
          what: "GET /Status beside hostile requests, above the quiet one (p99)",
          unit: "ms",
          ours: Math.max(0, quantile(busy, 0.99) - quantile(quiet, 0.99)),
          bar: { of: "figure", at: "most", limit: 20 },
        },
      ];
    });
  },
};
