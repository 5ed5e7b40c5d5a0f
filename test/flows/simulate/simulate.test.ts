import { expect, test } from "vitest";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import { noFaults, readFaultRates } from "../../../src/tools/simulator/calls/fault-rates.ts";
import { simulate } from "../../../src/tools/simulator/simulate.ts";
import type { FloorView, Simulation, SimulationNeeds } from "../../../src/tools/simulator/simulation.ts";
import { freePort } from "../../peers/free-port.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { spawnAdapter } from "../../support/adapter/child-adapter.ts";
import { spoilingProxy } from "../../support/receivers/spoiling-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const needs = { timers: systemTimers, now: () => performance.now(), today: () => new Date() };

function play(baseUrl: string, wishes: Partial<Simulation> = {}, more: Partial<SimulationNeeds> = {}) {
  const simulation: Simulation = {
    baseUrl,
    apiKey,
    seed: 1,
    orders: 18,
    operators: 6,
    speed: null,
    callsPerSecond: null,
    shiftMs: Number.POSITIVE_INFINITY,
    rates: noFaults,
    hasKeys: false,
    storage: "Main",
    erpControlUrl: null,
    // Longer than a busy machine takes to start the adapter again.
    patienceMs: 600_000,
    ...wishes,
  };
  return simulate(simulation, { ...needs, ...more });
}

function allFaults(share: string): Simulation["rates"] {
  const read = readFaultRates(`all=${share}`);
  if ("problem" in read) throw new Error(read.problem);
  return read.rates;
}

test("a day with faults of every kind and three kill -9 of the adapter ends without a difference", async () => {
  const folder = temporaryFolder();
  const env = { PORT: String(await freePort()) };
  let adapter = await spawnAdapter(folder, env);
  let [isOver, kills] = [false, 0];
  let view: FloorView | null = null;
  const killer = async () => {
    while (!isOver && kills < 3) {
      await new Promise((resolve) => setImmediate(resolve));
      if (view === null || view.ordersTotal === 0 || view.ordersDone / view.ordersTotal < (kills + 1) / 4) continue;
      kills++;
      await adapter.end("SIGKILL");
      adapter = await spawnAdapter(folder, env);
    }
  };
  const killing = killer();
  const onBegin = (begun: FloorView) => {
    view = begun;
  };
  const wishes = { orders: 60, rates: allFaults("3%"), hasKeys: true };
  const result = await play(adapter.url, wishes, { onBegin });
  isOver = true;
  await killing;
  await adapter.end("SIGTERM");
  expect(kills).toBe(3);
  expect(result.view.tally.findings).toEqual([]);
  expect(result.view.tally.doubts.size).toBe(0);
  expect(result.reportedOrders).toBe(63);
  expect(result.journalLines).toBeGreaterThan(200);
  expect(result.view.tally.unanswered()).toBeGreaterThan(0);
  expect([...result.view.tally.faults.keys()].toSorted()).toEqual(
    ["abort", "late", "mid-pick-cancel", "parallel", "reorder", "repeat"].toSorted(),
  );
});

test("the same seed makes the same calls, however fast the adapter is, and another seed makes others", async () => {
  const digests = [];
  for (const { seed, callsPerSecond } of [
    { seed: 5, callsPerSecond: null },
    { seed: 5, callsPerSecond: 400 },
    { seed: 6, callsPerSecond: null },
  ]) {
    const { url } = await startAdapter();
    // What the adapter makes of the faults is for the other tests: it may depend on the machine, the calls may not.
    const { callsDigest } = await play(url, { seed, callsPerSecond, orders: 20, rates: allFaults("2%") });
    digests.push(callsDigest);
  }
  expect(digests[1]).toBe(digests[0]);
  expect(digests[2]).not.toBe(digests[0]);
});

test("the same seed makes the same calls where the adapter books a placement twice", async () => {
  const adapter = await startAdapter();
  const proxy = await spoilingProxy(adapter.url, { fault: "twice", id: "confirmPutWallPlacement", nth: 3 });
  const [right, wrong] = [await play((await startAdapter()).url), await play(proxy.url)];
  expect(proxy.spoiled()).not.toBeNull();
  expect([right.view.tally.findings.length > 0, wrong.view.tally.findings.length > 0]).toEqual([false, true]);
  expect(wrong.callsDigest).toBe(right.callsDigest);
});

test.each([
  ["books a placement twice", "twice", "confirmPutWallPlacement"],
  ["answers a placement it never kept", "swallowed", "confirmPutWallPlacement"],
  ["answers a step it never kept", "swallowed", "confirmStep"],
  ["answers a cart step it never kept", "swallowed", "confirmCartStep"],
] as const)("an adapter that %s is found, with order, item and calls", async (_, fault, id) => {
  const adapter = await startAdapter();
  const proxy = await spoilingProxy(adapter.url, { fault, id, nth: 3 });
  const { view } = await play(proxy.url);
  const { findings } = view.tally;
  expect(proxy.spoiled()).not.toBeNull();
  const report = findings.find(({ kind, order }) => kind === "report" && order === proxy.spoiled()?.order);
  expect(report?.item).toBe(proxy.spoiled()?.item);
  expect(report?.calls.join("\n")).toContain(id);
  expect(findings.some(({ kind, order }) => kind === "journal" && order === proxy.spoiled()?.order)).toBe(true);
});

test("an adapter that keeps a pushed change to itself is found", async () => {
  const adapter = await startAdapter();
  const proxy = await spoilingProxy(adapter.url, { fault: "no update", id: "confirmStep", nth: 1 });
  const { view } = await play(proxy.url, { rates: { ...noFaults, "mid-pick-cancel": 0.3 } });
  expect(view.tally.findings.some(({ kind, text }) => kind === "change" && text.includes("did not come"))).toBe(true);
});

test("the floor works on what is offered where there is no key, and a shift ends when its time is over", async () => {
  const { url } = await startAdapter({ sample: true });
  const { view, journalLines } = await play(url, { apiKey: null, orders: 0, operators: 1, shiftMs: 60_000 });
  expect(view.tally.findings).toEqual([]);
  expect(journalLines).toBeNull();
  expect(view.ordersTotal).toBeGreaterThan(0);
  const offered = view.tally.byOperation.get("confirmStep")?.count() ?? 0;
  expect(offered + (view.tally.byOperation.get("confirmCartStep")?.count() ?? 0)).toBeGreaterThan(0);
});

test("an older platform reports every change of status too, and each stands in the journal once", async () => {
  const { url } = await startAdapter();
  // With keys: in one process an answer may be written just as the platform gives up, and a placement without a key
  // that is sent again is then another one.
  const { view, gaveUp } = await play(url, { hasStatus: true, hasKeys: true, rates: allFaults("2%") });
  expect([gaveUp, view.tally.findings]).toEqual([null, []]);
  expect(view.tally.byOperation.get("changeStatus")?.count()).toBeGreaterThanOrEqual(2 * view.ordersDone);
});

test("an adapter that was never there is said to be silent long before one that has gone away", async () => {
  let nowMs = 0;
  const hasty = {
    timers: {
      ...systemTimers,
      after: (ms: number, run: () => void) => {
        nowMs += ms;
        return systemTimers.after(0, run);
      },
    },
    now: () => nowMs,
  };
  const { gaveUp, durationMs } = await play(`http://127.0.0.1:${await freePort()}`, { patienceMs: 120_000 }, hasty);
  expect(gaveUp).toContain("nobody answers");
  expect(durationMs).toBeLessThan(12_000);
});

test("a shift that is ended early waits for nobody's way, and what was done is compared", async () => {
  const { url } = await startAdapter();
  const stopped = new AbortController();
  const onBegin = (view: FloorView) => {
    const look = () => {
      if (view.phase === "the floor works") stopped.abort();
      else setImmediate(look);
    };
    look();
  };
  // At this speed the first way alone would take longer than the test may.
  const ended = await play(url, { orders: 60, speed: 0.001, operators: 20 }, { stopped: stopped.signal, onBegin });
  expect(ended.gaveUp).toBeNull();
  expect(ended.view.tally.findings).toEqual([]);
  expect(ended.view.ordersDone).toBeGreaterThan(0);
  expect(ended.view.ordersDone).toBeLessThan(60);
  expect(ended.reportedOrders).toBeGreaterThan(0);
});

test("a seed that the adapter has worked off already is refused", async () => {
  const { url } = await startAdapter();
  await play(url, { orders: 5 });
  const { gaveUp } = await play(url, { orders: 5 });
  expect(gaveUp).toContain("take another one");
});
