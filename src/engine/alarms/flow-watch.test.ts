import { expect, onTestFinished, test } from "vitest";
import { answered, erpOrder, httpErp, orderMap } from "../../../test/support/receivers/http-erp.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { localise } from "../../messages/localise.ts";
import { say } from "../../messages/message.ts";
import { type AnyOutcome, ok, ReadyJsonList } from "../../operation/outcome.ts";
import type { BatchResult } from "../../sdk/intake.ts";
import type { Engine } from "../engine.ts";
import { createTally } from "../metrics/tally.ts";
import { flowMarks, flowWatch, type ServedBy } from "./flow-watch.ts";
import { sourceFailures } from "./source-failures.ts";

async function watching() {
  const clock = manualClock();
  const flows = flowMarks({ clock, file: { marks: () => new Map(), storeMarks: () => {} } });
  const tally = createTally();
  const failures = sourceFailures({ clock });
  const watch = flowWatch({ tally, flows, failures });
  const failing = () => failures.conditions({ timeZone: "UTC", minutes: 15 }).map(({ text }) => localise(text, "en"));
  return { clock, flows, tally, watch, failing };
}

test("a poll without results counts as a poll, and a failed one does not", async () => {
  const { clock, flows, watch, failing } = await watching();
  const timers = manualTimers(clock);
  const poll = { topic: "workOrders" as const, path: "/orders", records: "data", map: orderMap, everySeconds: 30 };
  let isDown = true;
  const erp = await httpErp(
    { poll: [poll] },
    (_request, response) => {
      if (!isDown) return { data: [] };
      response.writeHead(500).end();
      return answered;
    },
    { clock, timers },
  );
  const stored: BatchResult = { ids: ["evt_1"], unchanged: 0, bad: [] };
  const running = erp.connector.source?.start(watch.intakeOf(() => async () => stored)("erp"));
  onTestFinished(() => running?.stop());
  await timers.settle();
  await expect.poll(timers.count).toBe(1);
  expect(flows.last("looks", "erp")).toBeNull();
  expect(failing()).toEqual([expect.stringContaining("erp (poll[0]: workOrders) has failed since 2026-01-05 08:00")]);
  isDown = false;
  await timers.pass(30_000);
  await expect.poll(timers.count).toBe(1);
  expect(flows.last("looks", "erp")).toBe(clock.now());
  expect(flows.last("workOrders", "erp")).toBeNull();
  expect(failing()).toEqual([]);
});

test.each<[string, BatchResult, BatchResult]>([
  ["a connector", { ids: [], unchanged: 1, bad: [] }, { ids: ["evt_1"], unchanged: 0, bad: [] }],
  // Of a large file, only the count is returned.
  ["a large file", { ids: [], count: 0, unchanged: 9, bad: [] }, { ids: [], count: 1, unchanged: 8, bad: [] }],
])("what %s brings in has come, unless all of it was known", async (_what, known, fresh) => {
  const { flows, tally, watch } = await watching();
  const intake = (taken: BatchResult) => watch.intakeOf(() => async () => taken)("erp");
  const found = {
    topic: "workOrders" as const,
    elements: [erpOrder("1")],
    origin: "orders.csv",
    badRecords: "refuse" as const,
  };
  await intake(known)(found);
  expect(flows.last("workOrders", "erp")).toBeNull();
  await intake(fresh)(found);
  expect(flows.last("workOrders", "erp")).not.toBeNull();
  expect([...tally.pushes.keys()]).toEqual(["workOrders"]);
});

const order = { number: "1" };
const byErp: ServedBy = new Map([["workOrders", "erp"]]);
test.each<[string, ServedBy, AnyOutcome, boolean]>([
  ["an order from outside", byErp, ok([order]), true],
  ["a list of ready texts", byErp, ok(new ReadyJsonList(["{}"])), true],
  ["an empty list", byErp, ok([]), false],
  ["an empty list of ready texts", byErp, ok(new ReadyJsonList([])), false],
  ["fallback data", byErp, ok([order], { message: say("fallback.orders", { time: "09:41" }) }), false],
  ["a failure", byErp, { ok: false, result: "OperationFailed" }, false],
  ["an order of our own store", new Map(), ok([order]), false],
])("whether orders have come, by what the platform was given: %s", async (_what, servedBy, outcome, isSeen) => {
  const { flows, watch } = await watching();
  // Only queries are called here.
  const engine = watch.engine({ query: async () => outcome } as unknown as Engine, servedBy);
  expect(await engine.query("listWorkOrders", {}, "en")).toBe(outcome);
  expect(flows.last("workOrders", "erp") !== null).toBe(isSeen);
});

test("a request for the status is answered and counted, but says nothing about the platform", async () => {
  const { flows, tally, watch } = await watching();
  watch.onAnswer("getStatus", "none", 1);
  expect(flows.last("requests")).toBeNull();
  watch.onAnswer("getItem", "Success", 1);
  expect(flows.last("requests", "getItem")).not.toBeNull();
  expect([...tally.answers.keys()]).toEqual(["getStatus", "getItem"]);
});
