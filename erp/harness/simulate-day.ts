import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { adapterKey, type OwnAdapter, startAdapter } from "../../scripts/day/own-adapter.ts";
import { seededRandom } from "../../src/kit/ids.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { readFaultRates } from "../../src/tools/simulator/calls/fault-rates.ts";
import { type Summary, summaryOf } from "../../src/tools/simulator/reports/summary.ts";
import { simulate } from "../../src/tools/simulator/simulate.ts";
import type { FloorView } from "../../src/tools/simulator/simulation.ts";
import { freePort } from "../../test/peers/free-port.ts";
import { type EntryView, entriesIn, pickedByReceipts, untilDelivered, untilListed } from "./adapter-view.ts";
import { compareBooks, type Difference } from "./compare-books.ts";
import { nextMorning, pushFirstOfTheMorning } from "./next-morning.ts";
import type { RunSize, Say, StartedSystem } from "./real-system.ts";

/** What a day on a real system showed. */
export interface DayResult {
  readonly summary: Summary;
  /** Lines compared: one order, item, lot and location each. */
  readonly lines: number;
  readonly differences: readonly Difference[];
  /** Goods that could not be booked, and that a receipt names. */
  readonly told: readonly Difference[];
  readonly faults: readonly string[];
  /** Entries that would need an operator. */
  readonly dead: readonly EntryView[];
  readonly kills: { readonly adapter: number; readonly system: number };
  readonly changes: readonly string[];
  readonly seconds: { readonly floor: number; readonly rest: number };
}

interface Day {
  /** An empty folder for the adapter. */
  readonly folder: string;
  readonly system: StartedSystem;
  readonly size: RunSize;
  readonly seed: number;
  /** Whether the system keeps lots and locations. */
  readonly hasPlaces: boolean;
  readonly say: Say;
}

const patienceMs = 120_000;

/** Simulates a day: the floor works, an office worker changes orders, and both sides are killed again and again. */
export async function simulateDay({ folder, system, size, seed, hasPlaces, say }: Day): Promise<DayResult> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "crossdock.yaml"), system.config);
  const log = createWriteStream(join(folder, "adapter.log"));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const start = (env: Readonly<Record<string, string>> = {}) =>
    startAdapter({ folder, port, env: { ...system.secrets, ...env }, onOutput: (chunk) => void log.write(chunk) });
  let adapter: OwnAdapter = await start();
  try {
    await untilListed(baseUrl, size.orders, patienceMs);
    say(`${size.orders} orders are listed`);
    const floor = openFloor({ baseUrl, size, seed });
    const kills = { adapter: 0, system: 0 };
    const killing = alternate(size.kills, floor, async (isAdapter) => {
      say(`killing ${isAdapter ? "the adapter" : "the external system"}`);
      kills[isAdapter ? "adapter" : "system"]++;
      if (!isAdapter) return system.kill();
      await adapter.end("SIGKILL");
      adapter = await start();
    });
    const changing = changeOrders({ system, size, seed, floor, say });
    const began = performance.now();
    const worked = floor.worked.then((result) => ({ result, floorMs: performance.now() - began }));
    // Together: a failure of one of them ends the day at once.
    const [{ result, floorMs }, , changes] = await Promise.all([worked, killing, changing]).catch((error: unknown) => {
      floor.stop();
      throw error;
    });
    say("the floor is done; waiting until everything is delivered");
    await untilDelivered(baseUrl, patienceMs);
    const restMs = performance.now() - began - floorMs;
    say("the next morning: receipts that are due by time");
    await adapter.end("SIGTERM");
    adapter = await start(nextMorning);
    await pushFirstOfTheMorning(baseUrl);
    await untilDelivered(baseUrl, patienceMs);
    const booked = await system.booked();
    const receipts = await pickedByReceipts(baseUrl);
    return {
      summary: summaryOf(result),
      ...compareBooks(result.records, booked, { hasPlaces, receipts }),
      faults: await system.faults(),
      dead: await entriesIn(baseUrl, ["dead"]),
      kills,
      changes,
      seconds: { floor: floorMs / 1000, rest: restMs / 1000 },
    };
  } finally {
    await adapter.end("SIGTERM");
    log.end();
  }
}

interface FloorAtWork {
  readonly worked: ReturnType<typeof simulate>;
  /** The share of orders that are done. */
  readonly done: () => number;
  readonly isOver: () => boolean;
  readonly stop: () => void;
}

function openFloor({ baseUrl, size, seed }: { baseUrl: string; size: RunSize; seed: number }): FloorAtWork {
  const read = readFaultRates("all=1%");
  if ("problem" in read) throw new Error(read.problem);
  let view: FloorView | null = null;
  let isOver = false;
  const stopped = new AbortController();
  const worked = simulate(
    {
      ...{
        baseUrl,
        apiKey: adapterKey,
        seed,
        orders: 0,
        operators: size.operators,
        speed: size.speed,
        callsPerSecond: null,
      },
      ...{ shiftMs: Number.POSITIVE_INFINITY, hasKeys: false, hasOffice: true, storage: "WH" },
      // The office changes orders in the system itself, which also really goes down.
      ...{ rates: { ...read.rates, "mid-pick-cancel": 0, "erp-down": 0 }, erpControlUrl: null, patienceMs },
    },
    {
      timers: systemTimers,
      now: () => performance.now(),
      today: () => new Date(),
      stopped: stopped.signal,
      onBegin: (begun) => {
        view = begun;
      },
    },
  ).finally(() => {
    isOver = true;
  });
  return {
    worked,
    stop: () => stopped.abort(),
    isOver: () => isOver,
    done: () => (view === null || view.ordersTotal === 0 ? 0 : view.ordersDone / view.ordersTotal),
  };
}

const checkEveryMs = 20;

/** Kills the adapter and the system in turn, spread over the day. */
async function alternate(each: number, floor: FloorAtWork, kill: (isAdapter: boolean) => Promise<void>): Promise<void> {
  for (let count = 0; count < 2 * each && !floor.isOver(); ) {
    await pause(checkEveryMs);
    if (floor.done() < (count + 1) / (2 * each + 2)) continue;
    await kill(count % 2 === 0);
    count++;
  }
}

interface Office {
  readonly system: StartedSystem;
  readonly size: RunSize;
  readonly seed: number;
  readonly floor: FloorAtWork;
  readonly say: Say;
}

/** The office's changes, spread over the day. Nobody can change anything while the system is down. */
async function changeOrders({ system, size, seed, floor, say }: Office): Promise<readonly string[]> {
  const random = seededRandom(seed, "office");
  const changes: string[] = [];
  while (changes.length < size.officeChanges && !floor.isOver()) {
    await pause(checkEveryMs);
    if (floor.done() < (changes.length + 1) / (size.officeChanges + 2)) continue;
    const change = await system.change(random).catch((error: unknown) => {
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (change === null) continue;
    say(`the office ${change}`);
    changes.push(change);
  }
  return changes;
}
