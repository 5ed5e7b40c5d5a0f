import { expect, test } from "vitest";
import { timeAtSite } from "./time-at-site.ts";

// 23:30 of the 4th in UTC is half past midnight of the 5th in Berlin.
const site = { timeZone: "Europe/Berlin", now: Date.parse("2026-01-04T23:30:00Z") };

test.each([
  ["09:41", "2026-01-05T08:41:00.000Z"],
  ["9:41:07", "2026-01-05T08:41:07.000Z"],
  ["2026-07-01T09:41", "2026-07-01T07:41:00.000Z"],
  ["2026-07-01 09:41:30", "2026-07-01T07:41:30.000Z"],
  ["2026-07-01T09:41:00Z", "2026-07-01T09:41:00.000Z"],
  ["2026-07-01T09:41+05:00", "2026-07-01T04:41:00.000Z"],
])("%s is read in the site's time zone, and as today without a date", (text, utc) => {
  expect(new Date(timeAtSite(text, site) ?? 0).toISOString()).toBe(utc);
});

test.each(["", "noon", "25:00", "09:61", "2026-13-01T09:41", "2026-01-05", "09:41 PM"])("%j is no time", (text) => {
  expect(timeAtSite(text, site)).toBeNull();
});

test.each([
  "2026-02-30T10:00",
  "2026-02-30 10:00",
  "2026-02-30T10:00:00Z",
  "2025-02-29T10:00+01:00",
  "2026-04-31T10:00Z",
])("%s is not a time, as there is no such day", (text) => {
  expect(timeAtSite(text, { timeZone: "Europe/Berlin", now: Date.parse("2026-05-05T10:00Z") })).toBeNull();
});
