import fc from "fast-check";
import { expect, test } from "vitest";
import { laterCursor, notAfter, sinceOf } from "./since-cursor.ts";

test("the overlap is taken off in the form that the column has", () => {
  expect(sinceOf("2026-02-01 10:05:00", 300)).toBe("2026-02-01 10:00:00.000");
  expect(sinceOf("2026-02-01", 60)).toBe("2026-01-31 23:59:00.000");
  expect(sinceOf("2026-02-01 10:05:00.123456+01", 300)).toBe("2026-02-01 09:00:00.123+00:00");
  expect(sinceOf("2026-02-01T10:05:00Z", 60)).toBe("2026-02-01 10:04:00.000+00:00");
  expect(sinceOf("2026-02-01 10:05:00.123456", 0)).toBe("2026-02-01 10:05:00.123456");
});

test("a number has no overlap", () => {
  expect(sinceOf("4711", 300)).toBe("4711");
  expect(laterCursor("9007199254740993", "9007199254740994")).toBe("9007199254740994");
});

test("the later of two times wins, however they are written, and a value that is not a time changes nothing", () => {
  expect(laterCursor("2026-02-01 10:00:00", "2026-02-01 10:00:00.5")).toBe("2026-02-01 10:00:00.5");
  expect(laterCursor("2026-10-25 02:30:00+02", "2026-10-25 02:10:00+01")).toBe("2026-10-25 02:10:00+01");
  for (const value of [null, undefined, "", "soon", "0000-00-00x", {}]) {
    expect(laterCursor("2026-02-01", value)).toBe("2026-02-01");
  }
});

test("whatever times come in whatever order, the cursor ends at the latest", () => {
  const times = fc.array(fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(times, (dates) => {
      const end = dates
        .map((date) => date.toISOString())
        .reduce((cursor, text) => laterCursor(cursor, text), "1970-01-01");
      expect(new Date(end).getTime()).toBe(Math.max(...dates.map((date) => date.getTime())));
    }),
  );
});

test("a cursor is never later than now, in whatever form it is written; a number stays", () => {
  const now = Date.UTC(2026, 6, 1, 10);
  expect(notAfter("2026-07-01 11:59:59.5", now, "Europe/Berlin")).toBe("2026-07-01 11:59:59.5");
  expect(notAfter("2026-07-01 12:00:01", now, "Europe/Berlin")).toBe("2026-07-01 12:00:00");
  expect(notAfter("2026-07-01T12:00:01+02:00", now, "UTC")).toBe("2026-07-01 10:00:00+00:00");
  expect(notAfter("2026-07-01T11:00:00+02:00", now, "UTC")).toBe("2026-07-01T11:00:00+02:00");
  expect(notAfter("2026-07-01 12:00:00.7", now + 900, "Europe/Berlin")).toBe("2026-07-01 12:00:00.7");
  expect(notAfter("2026-07-01 12:00:01", now + 900, "Europe/Berlin")).toBe("2026-07-01 12:00:00");
  expect(notAfter("2026-07-01 10:00:00.7Z", now + 900, "Europe/Berlin")).toBe("2026-07-01 10:00:00.7Z");
  expect(notAfter("99999999999999", now, "UTC")).toBe("99999999999999");
});
