import { expect, test } from "vitest";
import { systemTimers } from "../../../kit/time/timers.ts";
import { timersUntil } from "./operator.ts";

const never = 3_600_000;

test("a wait ends when it is over, once, and so does one that begins later", async () => {
  const over = new AbortController();
  const { after } = timersUntil(systemTimers, over.signal);
  let ended = 0;
  after(never, () => ended++);
  const calledOff = after(never, () => ended++);
  calledOff();
  expect(ended).toBe(0);
  over.abort();
  expect(ended).toBe(1);
  await new Promise<void>((passed) => after(never, passed));
  expect(ended).toBe(1);
});
