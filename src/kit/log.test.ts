import { expect, test } from "vitest";
import { silentLog, withoutFloods } from "./log.ts";
import { manualClock } from "./time/clock.ts";

test("of a thousand equal messages in a second only a few are logged, and the next one says how many were left out", () => {
  const written: object[] = [];
  const clock = manualClock();
  const log = withoutFloods({ ...silentLog, error: (fields) => written.push(fields) }, clock, 3);
  for (let i = 0; i < 1000; i++) log.error({ i }, "the disk is full");
  log.error({ other: true }, "something else");
  clock.advance({ seconds: 1 });
  log.error({ i: 1000 }, "the disk is full");
  expect(written).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }, { other: true }, { i: 1000, leftOut: 997 }]);
});
