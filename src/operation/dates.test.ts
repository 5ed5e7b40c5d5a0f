import fc from "fast-check";
import { expect, test } from "vitest";
import { type DateOrder, readDateTime } from "./dates.ts";

const berlin = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };

test.each([
  ["2026-03-01", "2026-03-01T08:00:00+01:00"],
  ["2026-07-01", "2026-07-01T08:00:00+02:00"],
  ["2026-03-01T09:30", "2026-03-01T09:30:00+01:00"],
  ["2026-03-01 09:30:15", "2026-03-01T09:30:15+01:00"],
  ["2026-03-01T09:30:15.250", "2026-03-01T09:30:15.25+01:00"],
  ["2026-03-01T09:30:15.0000000", "2026-03-01T09:30:15+01:00"],
  ["2026-03-01T09:30:15Z", "2026-03-01T09:30:15Z"],
  ["2026-03-01T09:30:15+00:00", "2026-03-01T09:30:15Z"],
  ["2026-03-01T09:30-0530", "2026-03-01T09:30:00-05:30"],
  ["2026-03-01T24:00", "2026-03-02T00:00:00+01:00"],
  ["20260301", "2026-03-01T08:00:00+01:00"],
  ["20260301T0930", "2026-03-01T09:30:00+01:00"],
  [" 2026-03-01 ", "2026-03-01T08:00:00+01:00"],
  ["2028-02-29", "2028-02-29T08:00:00+01:00"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
])("%s in Berlin is %s", (text, expected) => {
  expect(readDateTime(text, berlin)).toBe(expected);
});

test.each([
  "",
  "tomorrow",
  "2026-02-30",
  "2026-13-01",
  "2026-00-10",
  "2027-02-29",
  "2026-03-01T25:00",
  "2026-03-01T24:01",
  "2026-03-01T09:60",
  "2026-03-01T09:30:60",
  "2026-03-01T09:30+25:00",
  "2026-03-01T09:30+01:75",
  "31.12.2026",
  "2026-03",
  "0000-01-01",
  "46082",
])("%j is no date", (text) => {
  expect(readDateTime(text, berlin)).toBeNull();
});

test.each<[DateOrder, string, string]>([
  ["dmy", "31.12.2026", "2026-12-31T08:00:00+01:00"],
  ["dmy", "31/12/2026", "2026-12-31T08:00:00+01:00"],
  ["dmy", "1.2.26", "2026-02-01T08:00:00+01:00"],
  ["dmy", "31.12.2026 14:05", "2026-12-31T14:05:00+01:00"],
  ["dmy", "2026-12-31", "2026-12-31T08:00:00+01:00"],
  ["mdy", "12/31/2026", "2026-12-31T08:00:00+01:00"],
  ["mdy", "12/31/2026 2:05 PM", "2026-12-31T14:05:00+01:00"],
  ["mdy", "12/31/2026 12:05 am", "2026-12-31T00:05:00+01:00"],
  ["ymd", "2026/12/31", "2026-12-31T08:00:00+01:00"],
  ["ymd", "20261231", "2026-12-31T08:00:00+01:00"],
])("in %s order %s is %s", (dateOrder, text, expected) => {
  expect(readDateTime(text, { ...berlin, dateOrder })).toBe(expected);
});

test("a day and a month in the wrong order are no date", () => {
  expect(readDateTime("31.12.2026", { ...berlin, dateOrder: "mdy" })).toBeNull();
  expect(readDateTime("12/31/2026", { ...berlin, dateOrder: "dmy" })).toBeNull();
});

test("a time that clocks skip moves on by the gap, and one they show twice is the first", () => {
  expect(readDateTime("2026-03-29T02:30", berlin)).toBe("2026-03-29T03:30:00+02:00");
  expect(readDateTime("2026-03-29T01:59", berlin)).toBe("2026-03-29T01:59:00+01:00");
  expect(readDateTime("2026-03-29T03:00", berlin)).toBe("2026-03-29T03:00:00+02:00");
  expect(readDateTime("2026-10-25T02:30", berlin)).toBe("2026-10-25T02:30:00+02:00");
  expect(readDateTime("2026-10-25T03:00", berlin)).toBe("2026-10-25T03:00:00+01:00");
  // Clocks on Lord Howe Island move by only half an hour.
  expect(readDateTime("2026-10-04T02:15", { ...berlin, timeZone: "Australia/Lord_Howe" })).toBe(
    "2026-10-04T02:45:00+11:00",
  );
});

test("in any zone the written instant shows the wall clock that was read, but for skipped times", () => {
  const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Pacific/Kiritimati", "Asia/Kathmandu"];
  const minutes = fc.integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2037, 0) / 60_000 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), minutes, (timeZone, minute) => {
      const wall = new Date(minute * 60_000).toISOString().slice(0, 16);
      const read = readDateTime(wall, { timeZone, timeOfDay: "08:00" }) ?? "";
      const shown = new Date(read).toLocaleString("sv-SE", { timeZone }).replace(" ", "T");
      expect(shown).toBe(read.slice(0, 19));
      const skipped = read.slice(0, 16) !== wall;
      if (skipped) expect(new Date(`${read.slice(0, 16)}Z`).getTime()).toBeGreaterThan(minute * 60_000);
    }),
  );
});
