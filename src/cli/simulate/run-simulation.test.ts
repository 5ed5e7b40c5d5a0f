import { expect, test } from "vitest";
import { openTally } from "../../tools/simulator/calls/call-tally.ts";
import { noFaults } from "../../tools/simulator/calls/fault-rates.ts";
import type { FloorView } from "../../tools/simulator/simulation.ts";
import { liveScreen } from "./run-simulation.ts";

const simulation: FloorView["simulation"] = {
  ...{ baseUrl: "http://127.0.0.1:8080", apiKey: null, seed: 1, orders: 0, operators: 2, speed: 60, storage: "Main" },
  ...{ callsPerSecond: null, shiftMs: 1, rates: noFaults, hasKeys: false, erpControlUrl: null, patienceMs: 1 },
};
const view = (): FloorView => ({
  simulation,
  tally: openTally({ now: () => 0 }),
  operatorStates: [
    { where: "B-07", task: "", floorMs: 60_000 },
    { where: "put wall", task: "", floorMs: 0 },
  ],
  ...{ phase: "the floor works", ordersDone: 12_345, ordersTotal: 20_000 },
});

test("shows people where they are and how far they have come", () => {
  const text = liveScreen(view(), 3000, { columns: 120, rows: 40 }).join("\n");
  expect(text).toContain("12345/20000 orders  the floor works");
  expect(text).toMatch(/B ······1·/);
  expect(text).toContain("put wall 2");
});

test("fits on a narrow and on a low screen, with the numbers still to be seen", () => {
  const narrow = liveScreen(view(), 3000, { columns: 40, rows: 24 });
  expect(Math.max(...narrow.map(({ length }) => length))).toBeLessThan(40);
  expect(narrow[0]).toContain("12345/20000 orders");
  expect(liveScreen(view(), 3000, { columns: 80, rows: 5 })).toHaveLength(4);
});

test("never grows; otherwise a new picture would not cover the previous one", () => {
  const [one, later] = [view(), { ...view(), phase: "comparing", ordersDone: 20_000 }];
  const size = { columns: 80, rows: 24 };
  expect(liveScreen(later, 9_000_000, size)).toHaveLength(liveScreen(one, 0, size).length);
});
