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

test("what others wrote cannot steer the terminal, nor look like a line of its own", () => {
  const error = "no\n09:00:00 info  all is well\u001b[2J\u202e";
  const line = JSON.stringify({
    level: 40,
    time: "2026-01-05T08:30:00.000Z",
    error,
    err: { message: "a\rb" },
    msg: "not\bdelivered",
  });
  expect(prettyLine(line, { timeZone: "UTC", colour: false })).toBe(
    `${String.raw`08:30:00 warn  not\u0008delivered: a\u000db error=no\n09:00:00 info  all is well\u001b[2J\u202e`}\n`,
  );
});

test("a stack trace keeps its lines, and what is called err but is no error is shown as a field", () => {
  const at = { time: "2026-01-05T08:30:00.000Z", msg: "not delivered" };
  const shown = (fields: object) =>
    prettyLine(JSON.stringify({ ...at, ...fields }), { timeZone: "UTC", colour: false });
  expect(shown({ level: 50, err: { message: "x", stack: "Error: x\n    at \u001b[1my" } })).toBe(
    "08:30:00 error not delivered: x\nError: x\n    at \\u001b[1my\n",
  );
  expect(shown({ level: 40, err: "timeout" })).toBe("08:30:00 warn  not delivered err=timeout\n");
});
