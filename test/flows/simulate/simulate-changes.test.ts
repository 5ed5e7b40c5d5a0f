import { expect, test } from "vitest";
import { killedDay } from "../../../scripts/day/killed-day.ts";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import { noFaults } from "../../../src/tools/simulator/calls/fault-rates.ts";
import {
  type ChangeRates,
  externalChangeNames,
  readChangeRates,
} from "../../../src/tools/simulator/changes/change-plan.ts";
import { simulate } from "../../../src/tools/simulator/simulate.ts";
import type { Simulation } from "../../../src/tools/simulator/simulation.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { builtProgram } from "../../support/built-program.ts";
import { spoilingProxy } from "../../support/receivers/spoiling-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function changesOf(text: string): ChangeRates {
  const read = readChangeRates(text);
  if ("problem" in read) throw new Error(read.problem);
  return read.rates;
}

const day: Omit<Simulation, "baseUrl" | "apiKey"> = {
  seed: 1,
  orders: 60,
  operators: 4,
  speed: null,
  callsPerSecond: null,
  shiftMs: Number.POSITIVE_INFINITY,
  rates: noFaults,
  changes: changesOf("20%"),
  hasKeys: false,
  storage: "Main",
  erpControlUrl: null,
  // Longer than a busy machine takes to start the adapter again.
  patienceMs: 600_000,
};
const needs = { timers: systemTimers, now: () => performance.now(), today: () => new Date() };

test("a day of changes of every kind with three kill -9 ends with ERP, floor and receipts agreeing", async () => {
  const { view, gaveUp, killed, journalLines } = await killedDay({
    folder: temporaryFolder(),
    kills: 3,
    program: builtProgram(),
    simulation: { ...day, hasKeys: true },
  });
  const { findings, doubts, changes } = view.tally;
  expect([gaveUp, killed, findings, [...doubts.values()]]).toEqual([null, 3, [], []]);
  expect(journalLines).toBeGreaterThan(0);
  // What is taken back and what comes twice is counted as the words it is made of.
  const single = externalChangeNames.filter((name) => name !== "take-back" && name !== "twice");
  const freedoms = ["fetch-again", "ignore-offer", "late-offer", "short-pick", "several-carts"];
  expect([...changes.keys()]).toEqual(expect.arrayContaining([...single, "restore", ...freedoms]));
});

test("an adapter that keeps changes to itself is found, with the history of the order", async () => {
  const adapter = await startAdapter();
  const proxy = await spoilingProxy(adapter.url, { fault: "no update", id: "confirmStep", nth: 1 });
  const { view } = await simulate({ ...day, baseUrl: proxy.url, apiKey }, needs);
  const found = view.tally.findings.find(({ text }) => text.includes("did not come with its answer"));
  expect(found?.kind).toBe("change");
  expect(found?.calls.join("\n")).toMatch(/pushed with .*\n(.*\n)*.*step line/);
});
