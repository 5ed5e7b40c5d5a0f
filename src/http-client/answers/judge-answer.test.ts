import { expect, test } from "vitest";
import { operationRow } from "../../contract/operations.ts";
import { say } from "../../messages/message.ts";
import { refuse } from "../../operation/outcome.ts";
import { type AnswerRuleOptions, answerRuleProblems, compileRules } from "./answer-rules.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { Answer } from "./read-body.ts";

const row = operationRow("attachWorkOrder");

function answerOf(body: unknown, status = 200, headers: Answer["headers"] = {}): Answer {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const type = typeof body === "string" ? "text/html" : "application/json";
  const own = { "content-type": type, ...headers };
  return { status, headers: own, body: bytes, unread: null, maxAnswerBytes: 1 << 20 };
}

/** The verdict in one word, or the refusal. */
async function verdictOf(rules: readonly AnswerRuleOptions[], answer: Answer): Promise<unknown> {
  const given = { answer, row, rules: compileRules(rules), redact: (text: string) => text, now: 0 };
  const verdict = await judgeAnswer(given).catch((error: unknown) => error);
  if (typeof verdict !== "object" || verdict === null) return verdict;
  if ("delivered" in verdict) return "delivered";
  if ("ok" in verdict) return verdict;
  const { kind, answer: judged } = verdict as { kind?: string; answer?: { isBusy?: boolean } };
  return judged?.isBusy === true ? "busy" : kind;
}

const userError = { error: ["UserError", ["Not enough stock.", "Bin A-1"]] };
const lost = { error: ["ConcurrencyException", "Records were modified"] };

/** Rules of a system that answers everything with status 200. */
const rules: AnswerRuleOptions = {
  success: { absent: "error" },
  errorText: ["error[1][0]", "error[1]"],
  refusals: [{ path: "error[0]", equals: "UserError" }],
  tryLaterWhen: [{ path: "error[0]", in: ["ConcurrencyException", "Locked"] }],
  alreadyProcessedWhen: [{ when: '= $contains(error[1][0], "already")' }],
  loginExpiredWhen: [{ status: [401, 403] }, { path: "error[0]", equals: "SessionExpired" }],
};

test.each<[string, Answer, unknown]>([
  ["a success", answerOf({ result: null }), "delivered"],
  ["a refusal", answerOf(userError), refuse("OperationFailed", "Not enough stock.")],
  ["a lost race", answerOf(lost), "busy"],
  ["what was already done", answerOf({ error: ["UserError", ["It was already picked."]] }), "delivered"],
  ["a login that expired, by status", answerOf("<html>", 403), "unreachable"],
  ["a login that expired, by content", answerOf({ error: ["SessionExpired", []] }), "unreachable"],
  ["an error of another class", answerOf({ error: ["KeyError", "x"] }), "rejected"],
  ["a page of a proxy", answerOf("<html>"), "rejected"],
])("with status 200 for everything, the content tells %s", async (_name, answer, expected) => {
  expect(await verdictOf([rules], answer)).toEqual(expected);
});

test.each([
  ["0", "= $count(errors)"],
  ["an empty text", "= message"],
  ["an empty list", "= errors"],
  ["false as a text", "= isLocked"],
  ["nothing", "= errors[0]"],
])("an expression that gives %s is not met, in rules and in success", async (_name, when) => {
  const answer = answerOf({ errors: [], message: "", isLocked: "false" });
  expect(await verdictOf([{ tryLaterWhen: [{ when }] }], answer)).toBe("delivered");
  expect(await verdictOf([{ success: { when } }], answer)).toBe("rejected");
});

test("a nearer level switches off any rule with an empty list", async () => {
  const busy = answerOf({ state: "locked" });
  const conditions = [{ path: "state", equals: "locked" }];
  for (const name of ["refusals", "tryLaterWhen", "loginExpiredWhen"] as const) {
    expect(await verdictOf([{ [name]: conditions }], busy)).not.toBe("delivered");
    expect(await verdictOf([{ [name]: [] }, { [name]: conditions }], busy)).toBe("delivered");
  }
});

test.each<[string, AnswerRuleOptions]>([
  ["status", { refusals: [{ status: 422 }] }],
  ["path and value", { refusals: [{ path: "state.code", equals: 7 }] }],
  ["path and other value", { refusals: [{ path: "state.code", not: [0, 1] }] }],
  ["expression", { refusals: [{ when: '= state.code > 5 and $status = 422 and $headers."x-why" = "no"' }] }],
])("a refusal is recognised by %s", async (_name, own) => {
  const answer = answerOf({ state: { code: 7, words: "No." } }, 422, { "x-why": "no" });
  expect(await verdictOf([{ errorText: "state.words", ...own }], answer)).toEqual(refuse("OperationFailed", "No."));
});

test.each<[string, unknown, unknown]>([
  ["a text", { message: " Locked by Ann. " }, "Locked by Ann."],
  ["several texts", { errors: ["No lot.", "No bin."] }, "No lot.; No bin."],
  ["a number", { errors: 17 }, "17"],
  ["null", { message: null, detail: null }, say("http.refused")],
  ["an object", { message: { en: "no" } }, say("http.refused")],
  ["nothing", {}, say("http.refused")],
])("an operator is shown %s, and never nothing", async (_name, body, expected) => {
  const own: AnswerRuleOptions = { errorText: "errors", refusals: [{ status: 409 }] };
  expect(await verdictOf([own], answerOf(body, 409))).toEqual(refuse("OperationFailed", expected as string));
});

test("an error text may be an expression", async () => {
  const own: AnswerRuleOptions = {
    refusals: [{ path: "error" }],
    errorText: ["error.missing", '= error.code & ": " & $join(error.lines.text, ", ")'],
  };
  const answer = answerOf({ error: { code: "E1", lines: [{ text: "a" }, { text: "b" }] } });
  expect(await verdictOf([own], answer)).toEqual(refuse("OperationFailed", "E1: a, b"));
});

test("each rule of a request replaces the connector's rule of that name as a whole", async () => {
  const answer = answerOf({ error: ["UserError", ["no"]], status: "done" });
  expect(await verdictOf([{ success: { jsonPath: "status", equals: "done" }, refusals: [] }, rules], answer)).toBe(
    "delivered",
  );
  expect(await verdictOf([{ success: { jsonPath: "status" } }, rules], answer)).toEqual(
    refuse("OperationFailed", "no"),
  );
});

test("a code of a status is a refusal, and every other answer with that status was processed before", async () => {
  const own: AnswerRuleOptions = {
    alreadyProcessed: [409],
    refusals: [{ status: 409, code: "E17", result: "ContainerAlreadyAttached" }],
  };
  expect(await verdictOf([own], answerOf({ code: "E17", message: "C-1" }, 409))).toEqual(
    refuse("ContainerAlreadyAttached", "C-1"),
  );
  expect(await verdictOf([own], answerOf({ code: "E18" }, 409))).toBe("delivered");
});

test.each<[string, AnswerRuleOptions, RegExp]>([
  ["a path that is none", { success: { absent: "error[" } }, /^success\.absent: "error\[" is not a path/],
  ["an expression in place of a path", { success: { jsonPath: "= a" } }, /^success\.jsonPath: .*is an expression/],
  ["a wrong expression", { tryLaterWhen: [{ when: "= $contain(a)" }] }, /^tryLaterWhen\.0\.when: .*\$contains\?/],
  ["a value without a path", { refusals: [{ equals: 1 }] }, /^refusals\.0\.equals: the path .* is missing/],
  ["two tests of one member", { refusals: [{ path: "a", equals: 1, not: 2 }] }, /^refusals\.0: set only one of/],
  ["an error text that is no path", { errorText: ["a", "b..c"] }, /^errorText\.1: .*is not a path/],
])("%s is found when the options are loaded", (_name, own, expected) => {
  const found = answerRuleProblems(own, []).map(({ path, text }) => `${[path].flat().join(".")}: ${text}`);
  expect(found).toEqual([expect.stringMatching(expected)]);
});
