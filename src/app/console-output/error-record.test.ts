import { expect, test } from "vitest";
import { errorRecord } from "./error-record.ts";

test("the causes of an error are in its message, each once, and in its stack", () => {
  const cause = { type: "Error", message: "connect ECONNREFUSED 127.0.0.1:80", stack: "Error: connect\n  at b" };
  const middle = { type: "Fault", message: "GET http://erp: connect ECONNREFUSED 127.0.0.1:80", stack: "", cause };
  const error = {
    type: "Fault",
    name: "Fault",
    message: "no orders",
    stack: "Fault: no orders\n  at a",
    kind: "broken",
  };
  expect(errorRecord({ ...error, cause: middle })).toEqual({
    ...{ type: "Fault", kind: "broken" },
    message: "no orders: GET http://erp: connect ECONNREFUSED 127.0.0.1:80",
    stack: "Fault: no orders\n  at a\ncaused by: Error: connect\n  at b",
  });
});

test("an error that was not masked has its type, message and stack", () => {
  const error = Object.assign(new TypeError("wrong", { cause: new Error("deeper") }), { status: 500 });
  expect(errorRecord(error)).toMatchObject({ type: "TypeError", message: "wrong: deeper", status: 500 });
});

test("a cause that contains itself ends, and what is no error stays", () => {
  const round: { message: string; cause?: unknown } = { message: "round" };
  round.cause = round;
  expect(errorRecord(round)).toEqual({ type: "Error", message: "round", stack: "" });
  expect(errorRecord("text")).toBe("text");
  expect(errorRecord({ code: 7 })).toEqual({ code: 7 });
});
