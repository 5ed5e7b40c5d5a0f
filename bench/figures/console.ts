import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findChromium } from "../../scripts/pictures/find-chromium.ts";
import type { ConsolesJob } from "../clients/consoles.ts";
import type { LoadJob, LoadResult } from "../clients/load.ts";
import { benchKey } from "../data/bench-key.ts";
import { order } from "../data/orders.ts";
import { inTurn } from "../harness/in-turn.ts";
import { comparedStarts, quantile } from "../harness/median.ts";
import type { Child } from "../harness/processes/child.ts";
import { processorUs } from "../harness/processes/memory-now.ts";
import type { Workshop } from "../harness/processes/workshop.ts";
import { type ServerChild, startAdapter, startConsoles, startLoad, withChildren } from "../harness/programs.ts";
import type { Figure, Measurement } from "../harness/report/measurement.ts";
import { inBrowser } from "./console-browser.ts";
import { emptyStore, largeStore, loadRounds, manyOrders } from "./sizes.ts";

const openConsoles = 50;
const connections = 64;
/** Of five lines each: more steps than a connection confirms within a round. */
const ordersPerConnection = 24;
const apiKey = benchKey;

export const consoleFigure: Figure = {
  name: "console",
  chapter: "Console",
  summary:
    "The web console: the files of the first page in the longest language, compressed; an order found by the beginning of its number among a million, one search after " +
    "the other; confirmed steps over 64 connections with 50 open consoles, against the same adapter with none; the same after all consoles were closed, against an adapter that never had one (these ratios are the median of pairs of " +
    "rounds, of the last one the median of seven starts; below the first the quotient of the medians, by which it was judged before, below the last the processor time of all threads of the adapter); in Chromium, the time until the overview can be used, and the frames of a " +
    "timeline of 2,000 entries while it scrolls, against a page of plain text.",
  measure: async (workshop) => [
    firstLoad(),
    await search(await workshop.ownStore(manyOrders)),
    ...(await withConsole(await workshop.ownStore(largeStore))),
    ...(await afterConsoles(workshop)),
    ...(await browserFigures(workshop)),
  ],
};

async function browserFigures(workshop: Workshop): Promise<readonly Measurement[]> {
  try {
    findChromium();
  } catch {
    workshop.skip("the console in a browser: Chromium is not there (Debian: apt install chromium)");
    return [];
  }
  return await inBrowser(await workshop.ownStore(emptyStore));
}

function firstLoad(): Measurement {
  const folder = new URL("../../dist/console/assets", import.meta.url).pathname;
  if (!existsSync(folder)) throw new Error("the console is not built: npm run build:console");
  const sizeOf = (name: string) => statSync(join(folder, `${name}.br`)).size;
  const page = readFileSync(join(folder, "../index.html"), "utf8");
  const ofPage = [...page.matchAll(/assets\/([^"]+)"/g)].map(([, name = ""]) => sizeOf(name));
  // A reader of another language than English loads one more.
  const ofLanguages = readdirSync(folder).filter((name) => /^\w\w-.*\.js$/.test(name));
  const bytes = ofPage.reduce((sum, size) => sum + size, 0) + Math.max(...ofLanguages.map(sizeOf));
  return {
    what: "First page of the console, compressed",
    unit: "kB",
    ours: bytes / 1000,
    bar: { of: "figure", at: "most", limit: 120 },
  };
}

async function search(folder: string): Promise<Measurement> {
  const [adapter, consoles] = [await startAdapter(folder), await startConsoles()];
  return await withChildren([adapter, consoles], async () => {
    const step = Math.floor(manyOrders.orders / 100);
    const find = Array.from({ length: 100 }, (_, index) => order(index * step, 1).number);
    const job = { find, url: adapter.url, apiKey } satisfies ConsolesJob;
    await consoles.run(job);
    const times = await consoles.run<number[]>(job);
    return {
      what: "Order found among a million (p99)",
      unit: "ms",
      ours: quantile(times, 0.99),
      bar: { of: "figure", at: "most", limit: 200 },
    };
  });
}

/** Confirms steps at one adapter. Every round uses its own orders, and the store has enough for sixty rounds. */
function stepsAt(url: string, client: Child): () => Promise<LoadResult> {
  let firstOrder = 0;
  return async () => {
    const workload = { kind: "step", firstOrder, ordersPerConnection } as const;
    firstOrder += connections * ordersPerConnection;
    const { durationMs } = loadRounds;
    return await client.run<LoadResult>({ url, workload, connections, durationMs } satisfies LoadJob);
  };
}

const perSecond = (rounds: readonly LoadResult[]): readonly number[] => rounds.map((round) => round.perSecond);
/** The first seconds of a process are slower, and a single round differs by several percent. */
const measured = { rounds: Math.min(18, loadRounds.rounds), warmUps: 5 };
/** Two processes of the same program differ from start to start, so several starts are compared. */
const sinceStart = { rounds: Math.min(7, loadRounds.rounds), warmUps: Math.min(4, loadRounds.warmUps) };

async function withConsole(folder: string): Promise<Measurement[]> {
  const [adapter, consoles, client] = [await startAdapter(folder), await startConsoles(), await startLoad()];
  return await withChildren([adapter, consoles, client], async () => {
    const { url } = adapter;
    const load = stepsAt(url, client);
    const watched = (isSettled: boolean) => async () => {
      await consoles.run({ open: openConsoles, url, apiKey, isSettled } satisfies ConsolesJob);
      const result = await load();
      await consoles.run("close" satisfies ConsolesJob);
      return result;
    };
    const { rounds, warmUps } = measured;
    const sides = { open: watched(true), opening: watched(false), none: load };
    const { open, opening, none } = await inTurn(rounds, sides, warmUps, true);
    const against = (side: readonly LoadResult[]) => comparedStarts([perSecond(side)], [perSecond(none)]);
    const { ours, bare, pairedRatio } = against(open);
    return [
      {
        what: "Confirmed steps with 50 open consoles",
        ...{ unit: "1/s", ours, bare, pairedRatio },
        bar: { of: "ratio", at: "least", limit: 0.95 },
      },
      { what: "The same, quotient of the medians", unit: "1/s", ours, bare },
      { what: "The same while the 50 consoles open and load their first page", unit: "1/s", ...against(opening) },
    ];
  });
}

/** Compiled code differs from start to start, and so does its speed, by a tenth. */
const startsAfter = Math.min(7, loadRounds.rounds);

/** Nobody looks any more: an adapter that goes on working for closed consoles would be slower than one that had none. */
async function afterConsoles(workshop: Workshop): Promise<Measurement[]> {
  const all: { readonly had: readonly Round[]; readonly without: readonly Round[] }[] = [];
  for (let start = 0; start < startsAfter; start++) {
    const adapters = [
      await startAdapter(await workshop.ownStore(largeStore)),
      await startAdapter(await workshop.ownStore(largeStore)),
    ] as const;
    const [adapter, other] = start % 2 === 0 ? adapters : ([adapters[1], adapters[0]] as const);
    const [consoles, client] = [await startConsoles(), await startLoad()];
    await withChildren([...adapters, consoles, client], async () => {
      await consoles.run({ open: openConsoles, url: adapter.url, apiKey } satisfies ConsolesJob);
      await consoles.run("close" satisfies ConsolesJob);
      const sides = { had: roundsOf(adapter, client), without: roundsOf(other, client) };
      all.push(await inTurn(sinceStart.rounds, sides, sinceStart.warmUps, true));
    });
  }
  const compared = (of: keyof Round) =>
    comparedStarts(
      all.map(({ had }) => had.map((round) => round[of])),
      all.map(({ without }) => without.map((round) => round[of])),
    );
  return [
    {
      what: "Confirmed steps after 50 consoles were closed, beside an adapter without any",
      ...{ unit: "1/s", ...compared("perSecond") },
      bar: { of: "ratio", at: "least", limit: 0.97 },
    },
    { what: "The same, processor time of a step", unit: "µs", ...compared("workedUs") },
  ];
}

type Round = Pick<LoadResult, "perSecond"> & { readonly workedUs: number };

function roundsOf(adapter: ServerChild, client: Child): () => Promise<Round> {
  const steps = stepsAt(adapter.url, client);
  return async () => {
    const before = await adapter.run<number>(processorUs);
    const { perSecond, answers } = await steps();
    return { perSecond, workedUs: ((await adapter.run<number>(processorUs)) - before) / answers };
  };
}
