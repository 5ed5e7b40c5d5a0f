import { expect, test } from "vitest";
import { operationIds } from "../../contract/operations.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { prepareSoon } from "./prepare-soon.ts";
import { inputReader } from "./read-input.ts";

test("after a start the checks of every operation with an input are compiled, one at a time", async () => {
  const timers = manualTimers(manualClock());
  const reader = inputReader();
  const prepared: string[] = [];
  const prepare: typeof reader.prepare = (id) => {
    prepared.push(id);
    reader.prepare(id);
  };
  prepareSoon({ prepare }, timers);
  await timers.pass(1_500);
  expect(prepared).toHaveLength(1);
  await timers.pass(60_000);
  expect(prepared).toContain("confirmStep");
  expect(prepared).toEqual(operationIds.filter((id) => prepared.includes(id)));
});

test("a stop calls off the rest", async () => {
  const timers = manualTimers(manualClock());
  let count = 0;
  const callOff = prepareSoon({ prepare: () => void count++ }, timers);
  await timers.pass(1_500);
  callOff();
  await timers.pass(60_000);
  expect(count).toBe(1);
});
