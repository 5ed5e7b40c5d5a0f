import { expect, test } from "vitest";
import { type OfferedId, operationRow } from "../../contract/operations.ts";
import { silentLog } from "../../kit/log.ts";
import { say } from "../../messages/message.ts";
import { type EventSubject, noSubject } from "../../operation/event-subject.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, ok, refuse } from "../../operation/outcome.ts";
import type { CallContext, Operate } from "../../sdk/connector.ts";
import { call, settleFault } from "./call.ts";

/** Calls an operation that returns anything, as a customer's connector may: no compiler has checked it. */
const outcomeOf = (returned: unknown) => {
  const operate = (() => returned) as Operate<OfferedId>;
  return call({ operate, input: { number: "1" }, language: "en", deadlineMs: 1000 });
};

const refusal = { ok: false, result: "ItemDoesNotExist" };

test.each<[string, unknown]>([
  ["no text", refusal],
  ["an empty text", { ...refusal, message: "" }],
  ["blanks", { ...refusal, message: " \n" }],
  ["null", { ...refusal, message: null }],
  ["no text, later", Promise.resolve(refusal)],
])("a refusal with %s is shown to the operator with a text of the adapter's own", async (_what, returned) => {
  expect(await outcomeOf(returned)).toEqual({ ...refusal, message: say("http.refused") });
});

test("a refusal's own text and its list of problems are left alone", async () => {
  const own = refuse("ItemDoesNotExist", "Not in this warehouse");
  expect(await outcomeOf(own)).toBe(own);
  const listed: AnyOutcome = refuse("InvalidInput", undefined, { problems: ["row 3"] });
  expect(await outcomeOf(listed)).toEqual(listed);
});

test("a success with an empty text is one without a text", async () => {
  expect(await outcomeOf(ok(null, { message: "" }))).toEqual(ok(null));
});

test.each(["rejected", "invalid", "unreachable", "not-offered"] as const)(
  "a fault of kind %s with an empty text is shown with one",
  (kind) => {
    const row = operationRow("getItem");
    const settled = settleFault(row, new Fault(kind, "for the log", { operatorText: " " }), {
      log: silentLog,
      newReference: () => "r1",
    });
    expect(settled.message).toMatchObject({ key: expect.stringMatching(/^(http|general)\./) });
  },
);

test("during an outage each query costs the log one short line, with the reason and without a stack", () => {
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  const row = operationRow("getItem");
  settleFault(row, new Fault("unreachable", "connect ECONNREFUSED"), { log, newReference: () => "r1" });
  expect(lines).toEqual([{ path: row.path, kind: "unreachable", reason: "connect ECONNREFUSED" }]);
});

test("a connector whose delivery was given up while the order was looked up sends nothing", async () => {
  let sent = 0;
  let found = (_: EventSubject) => {};
  const operate: Operate<OfferedId> = async (_input, { findSubject }) => {
    await findSubject?.({});
    sent++;
    return ok(null);
  };
  const findSubject = () =>
    new Promise<EventSubject>((resolve) => {
      found = resolve;
    });
  let giveUp = () => {};
  const onBegun = (end: () => void) => {
    giveUp = end;
  };
  const answer = call({ operate, input: {}, language: "en", deadlineMs: 1000, findSubject, onBegun });
  giveUp();
  found(noSubject);
  await expect(answer).rejects.toThrow("aborted");
  expect(sent).toBe(0);
});

test("who asks for the signal after the call was given up finds it aborted", async () => {
  let giveUp = () => {};
  const onBegun = (end: () => void) => {
    giveUp = end;
  };
  const operate = (async (_input: unknown, context: CallContext) => {
    await Promise.resolve();
    return ok(context.signal.aborted);
  }) as unknown as Operate<OfferedId>;
  const answer = call({ operate, input: {}, language: "en", deadlineMs: 1000, onBegun });
  giveUp();
  expect(await answer).toEqual(ok(true));
});
