import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog as log } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import type { FigureRange } from "./figure.ts";
import { openFigures } from "./open-figures.ts";

function setUp() {
  const clock = manualClock();
  const needs = { dataFolder: temporaryFolder(), clock, timers: manualTimers(clock), log };
  let figures = openFigures(needs);
  const sum = (range: FigureRange, of: "answers" | "pushes" | "delivered" | "failed" | "refusals") =>
    figures.series(range).points.reduce((total, point) => total + point[of], 0);
  const reopen = () => {
    figures.close();
    figures = openFigures(needs);
  };
  return { clock, sum, reopen, now: () => figures };
}

test("traffic is counted in every range, and the counts survive a restart", () => {
  const { clock, sum, reopen, now } = setUp();
  for (let minute = 0; minute < 20; minute++) {
    now().answered(minute % 2 === 0, 4);
    now().attempted(true);
    now().attempted(false);
    now().pushed();
    clock.advance({ minutes: 1 });
  }
  expect(sum("15m", "answers")).toBe(14);
  expect(sum("24h", "answers")).toBe(20);
  expect(sum("7d", "refusals")).toBe(10);
  now().answered(true, 1);
  reopen();
  now().answered(true, 1);
  expect([sum("15m", "answers"), sum("24h", "answers"), sum("7d", "answers")]).toEqual([16, 22, 22]);
  reopen();
  reopen();
  expect(sum("24h", "answers")).toBe(22);
  for (const name of ["delivered", "failed", "pushes"] as const) expect(sum("24h", name)).toBe(20);
});

test("a point of a chart shows the median and the 95th percentile of its answers", () => {
  const { now } = setUp();
  for (let n = 0; n < 90; n++) now().answered(true, 4);
  for (let n = 0; n < 10; n++) now().answered(true, 9_000);
  expect(now().series("15m").points.at(-1)).toMatchObject({ answers: 100, p50Ms: 5, p95Ms: 5000 });
  expect(now().series("15m").total).toMatchObject({ answers: 100, p50Ms: 5, p95Ms: 5000 });
  expect(now().series("15m").points[0]).toMatchObject({ answers: 0, p50Ms: null, p95Ms: null });
});

test("a week of work leaves a bounded number of rows, and old ones go", () => {
  const { clock, sum, now } = setUp();
  for (let hour = 0; hour < 24 * 9; hour++) {
    now().answered(true, 1);
    clock.advance({ minutes: 60 });
  }
  expect(sum("24h", "answers")).toBeLessThanOrEqual(24);
  expect(sum("7d", "answers")).toBeLessThanOrEqual(24 * 7);
  expect(sum("7d", "answers")).toBeGreaterThan(24 * 6);
  expect(now().series("7d").points).toHaveLength(84);
});
