import { expect, test } from "vitest";
import { prettyLine } from "./open-log.ts";

test("a log line on a terminal shows the site's time, the level, the text and the other fields", () => {
  const line = JSON.stringify({
    level: 40,
    time: "2026-01-05T08:30:00.000Z",
    msg: "a poll failed",
    topic: "items",
    count: 2,
  });
  expect(prettyLine(`${line}\n`, { timeZone: "Europe/Berlin", colour: false })).toBe(
    "09:30:00 warn  a poll failed topic=items count=2\n",
  );
});

test("an error is shown with its message and stack trace", () => {
  const err = { type: "Error", message: "no route", stack: "Error: no route\n    at x" };
  const line = JSON.stringify({ level: 50, time: "2026-01-05T08:30:00.000Z", err, msg: "not delivered" });
  expect(prettyLine(line, { timeZone: "UTC", colour: false })).toBe(
    "08:30:00 error not delivered: no route\nError: no route\n    at x\n",
  );
});
