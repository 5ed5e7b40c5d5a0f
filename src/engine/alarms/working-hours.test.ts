import fc from "fast-check";
import { expect, test } from "vitest";
import { isWorkingTime, type WorkingHours, weekdays, workingMs } from "./alarm-conditions.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const office: WorkingHours = {
  days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
  from: "06:00",
  to: "22:00",
};
const berlin = "Europe/Berlin";
const worked = (from: string, to: string, hours = office, zone = berlin) =>
  workingMs({ from: Date.parse(from), to: Date.parse(to), atMost: 1000 * hourMs }, hours, zone) / hourMs;

test("from Friday evening to Monday morning only the hours of work count", () => {
  expect(worked("2026-01-09T21:00+01:00", "2026-01-12T06:30+01:00")).toBe(1.5);
});

test("hours are those of the wall clock, in winter and in summer", () => {
  expect(worked("2026-07-06T04:00Z", "2026-07-06T05:00Z")).toBe(1);
  expect(worked("2026-01-05T04:00Z", "2026-01-05T05:00Z")).toBe(0);
});

test("on the night the clocks go forward a night shift is an hour shorter", () => {
  const night: WorkingHours = { days: ["saturday"], from: "22:00", to: "06:00" };
  expect(worked("2026-03-28T12:00+01:00", "2026-03-29T12:00+02:00", night)).toBe(7);
});

test("a night shift belongs to the day on which it begins", () => {
  const night: WorkingHours = { days: ["friday"], from: "22:00", to: "06:00" };
  expect(isWorkingTime(Date.parse("2026-01-10T05:59+01:00"), night, berlin)).toBe(true);
  expect(isWorkingTime(Date.parse("2026-01-10T06:00+01:00"), night, berlin)).toBe(false);
  expect(isWorkingTime(Date.parse("2026-01-10T22:30+01:00"), night, berlin)).toBe(false);
});

test("nothing is counted beyond the limit, however long the silence was", () => {
  const span = { from: 0, to: Date.parse("2026-01-05T12:00Z"), atMost: 90 * minuteMs };
  expect(workingMs(span, office, berlin)).toBe(90 * minuteMs);
  expect(workingMs(span, { ...office, days: [] }, berlin)).toBe(0);
});

const instant = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) });

test("without pauses all time is working time, in every zone", () => {
  const all: WorkingHours = { days: weekdays, from: "00:00", to: "24:00" };
  const zone = fc.constantFrom("UTC", "Asia/Kolkata", "Pacific/Auckland", "America/St_Johns");
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 20 * hourMs }), zone, (from, lengthMs, timeZone) => {
      const counted = workingMs({ from, to: from + lengthMs, atMost: 1000 * hourMs }, all, timeZone);
      // Where clocks change, a day is an hour longer or shorter than its shift.
      expect(Math.abs(counted - lengthMs)).toBeLessThanOrEqual(hourMs);
    }),
  );
});

test("two spans that follow each other count as much as the whole", () => {
  fc.assert(
    fc.property(instant, fc.nat(100 * hourMs), fc.nat(100 * hourMs), (from, first, second) => {
      const part = (a: number, b: number) => workingMs({ from: a, to: b, atMost: 1000 * hourMs }, office, berlin);
      expect(part(from, from + first) + part(from + first, from + first + second)).toBe(
        part(from, from + first + second),
      );
    }),
  );
});
