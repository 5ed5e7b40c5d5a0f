import { setTimeout as sleep } from "node:timers/promises";
import { longAnswersConfig } from "../../../test/support/receivers/long-answers.ts";
import type { HostileJob } from "../../clients/hostile/requests.ts";
import type { ProbeJob } from "../../clients/probe.ts";
import { quantile } from "../../harness/median.ts";
import { startPackagedProgram } from "../../harness/processes/packaged-program.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startHostile, startLongAnswers, startProbe, startService, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { listStore } from "../sizes.ts";

const quietMs = 10_000;
const loadedMs = 3_000;
const rounds = 20;

export const hostile: Figure = {
  name: "hostile",
  chapter: "Limits",
  summary:
    "GET /Status at 50 per second while requests come one after another that would stop a careless service: 600,000 unknown " +
    "members, 2.6 million empty elements, an order number of 7.9 MB, thousands of errors in a few kilobytes, a report of a million " +
    "numbers, a step of 10,000 lines, a step whose id has nineteen digits; orders, items, images and answers to events of several megabytes from an external system; and what " +
    "an administrator may ask about steps of 8 MB and about the whole journal; " +
    "against the ten seconds before. And the longest turn of the program's event loop while they come, in processor time: the " +
    "first of each kind after a start, and twenty more; below each the longest of the turns in which the host of a virtual machine took no processor time for others, and how many turns of more than 8 ms that leaves out. The program has the settings of the service unit for memory.",
  measure: async (workshop) => [...(await besideOthers(workshop)), ...(await turns(workshop))],
};

/** What others notice: they share the machine with the sender, the external system and the threads for large bodies. */
async function besideOthers(workshop: Workshop): Promise<readonly Measurement[]> {
  const erp = await startLongAnswers();
  const config = longAnswersConfig(erp.url);
  const adapter = await startService(await workshop.ownStore(listStore), { config });
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
}

/** What the program itself does, as it is in the package. */
async function turns(workshop: Workshop): Promise<readonly Measurement[]> {
  const erp = await startLongAnswers();
  const program = await startPackagedProgram(await workshop.ownStore(listStore), longAnswersConfig(erp.url));
  const sender = await startHostile();
  return await withChildren([erp, sender], async () => {
    try {
      const turnsOf = async (what: string, count: number): Promise<readonly Measurement[]> => {
        await program.longestTurns();
        await sender.run({ url: program.url, rounds: count } satisfies HostileJob);
        const { longestMs, undisturbedMs, disturbed } = await program.longestTurns();
        return [
          { what: `Longest turn, ${what}`, unit: "ms", ours: longestMs, bar: { of: "figure", at: "most", limit: 20 } },
          { what: "The same, in which the host took no time", unit: "ms", ours: undisturbedMs },
          { what: "Turns of more than 8 ms in which it did", unit: "events", ours: disturbed },
        ];
      };
      await sleep(loadedMs);
      return [
        ...(await turnsOf("the first hostile requests after a start", 1)),
        ...(await turnsOf("twenty more of each", rounds)),
      ];
    } finally {
      await program.stop();
    }
  });
}
