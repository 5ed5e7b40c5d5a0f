import { expect, test } from "vitest";
import type { HttpOptions } from "../options/options.ts";
import { validateOptions } from "../options/validate-options.ts";
import { compileCondition } from "./condition.ts";
import type { WhenOptions } from "./condition-options.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
const isMet = (when: WhenOptions, scope: object) => compileCondition(when, "it", dates)({ ...scope });

test.each<[WhenOptions, object, boolean]>([
  [{ path: "status" }, { status: 0 }, true],
  [{ path: "status" }, { status: false }, false],
  [{ path: "status", equals: 3 }, { status: 3 }, true],
  [{ path: "status", equals: 3 }, { status: "3" }, false],
  [{ path: "status", in: [3, 7] }, { status: 7 }, true],
  [{ path: "status", in: [3, 7] }, {}, false],
  [{ path: "status", not: 6 }, { status: 5 }, true],
  [{ path: "status", not: [5, 6] }, { status: 5 }, false],
  [{ path: "status", not: 6 }, {}, true],
  [{ path: "status", exists: false }, { status: null }, true],
  [{ path: "status", exists: true }, { status: false }, true],
  ["= status in [3, 7] and line.kind = 'B'", { status: 3, line: { kind: "B" } }, true],
  ["= status > 3", { status: 3 }, false],
  ["= lines[qty > 0]", { lines: [{ qty: 0 }] }, false],
])("%j of %j is %s", async (when, scope, expected) => {
  expect(await isMet(when, scope)).toBe(expected);
});

test("an expression that fails stops the event and is not taken for false", async () => {
  await expect(isMet("= $number(status) > 3", { status: "many" })).rejects.toThrow(/^it: the expression failed/);
});

const problems = (options: Partial<HttpOptions>) =>
  validateOptions({ baseUrl: "https://erp.example", ...options }).map(
    ({ path, text, hint }) => `${[path].flat().join(".")}: ${text} ${hint ?? ""}`,
  );
const whenProblem = (when: WhenOptions) => problems({ operations: { changeStatus: { path: "/s", when } } }).join("\n");

test.each<[string, WhenOptions, RegExp]>([
  ["a misspelt member", { path: "statu", equals: 3 }, /when\.path: statu: .*did you mean status\?/],
  ["a misspelt member in an expression", "= statsu = 3", /when: .*did you mean status\?/],
  ["null", { path: "status", equals: null }, /when\.equals: null is never compared.*exists: false/],
  ["null in a list", { path: "status", in: [3, null] }, /when\.in: null is never compared/],
  ["an expression as path", { path: "= status = 3" }, /when\.path: .*is not a path An expression.*"= status = 3"/],
  ["a comparison as path", { path: "status = 3" }, /when\.path: .*is not a path/],
  [
    "a text that is no expression",
    "status = 3",
    /when: .*is not an expression: one begins with = Write "= status = 3"/,
  ],
  ["a number in quotes", { path: "status", equals: "3" }, /when\.equals: status is never "3": .*without quotes/],
  ["a value that the contract does not have", { path: "status", in: [3, 99] }, /when\.in: status is never 99/],
  ["two tests at once", { path: "status", equals: 3, not: 4 }, /when: equals and not cannot stand together/],
  ["an expression that cannot be parsed", "= status =", /when: .*line 1, column/],
])("%s in a condition is refused when the configuration is loaded", (_name, when, text) => {
  expect(whenProblem(when)).toMatch(text);
});

test("conditions on the order, the line, earlier answers and the answer itself are accepted", () => {
  const steps = [
    { name: "find", path: "/f", when: { path: "order.externalIdentifier" }, expect: { path: "answer.id" } },
    { name: "book", path: "/b/{steps.find.id}/{steps[0].id}", when: "= line.confirmedAmount > 0 and steps.find.open" },
  ];
  expect(problems({ operations: { confirmStep: { steps } } })).toEqual([]);
});

test.each([
  [
    "a later step",
    [
      { name: "a", path: "/a/{steps.b.id}" },
      { name: "b", path: "/b" },
    ],
    /steps\.0: \{steps\.b\.id\} has no value/,
  ],
  ["a misspelt step", [{ name: "find", path: "/a" }, { path: "/b/{steps.fnd.id}" }], /did you mean find\?/],
  [
    "two steps of one name",
    [
      { name: "a", path: "/a" },
      { name: "a", path: "/b" },
    ],
    /two steps named a/,
  ],
  ["a step's own misspelt rule", [{ path: "/a", map: { x: "line.lotNumbr" } }], /did you mean lotNumber\?/],
  ["a step that neither sends nor computes", [{ name: "a" }], /neither a path nor a map/],
  [
    "a step without a path that expects an answer",
    [{ name: "a", map: { x: "workOrderNumber" }, expect: "= answer.id" }],
    /it has no path, so nothing is sent, and expect has no effect/,
  ],
  [
    "a POST that only reads and is asked for",
    [{ path: "/a", onlyReads: true, alreadyDone: { request: { path: "/d" }, when: "= true" } }],
    /a request that only reads is simply sent again/,
  ],
  [
    "a GET that is asked for",
    [{ path: "/a", method: "GET" as const, alreadyDone: { request: { path: "/d" }, when: "= true" } }],
    /a request that only reads is simply sent again/,
  ],
])("%s is refused when the configuration is loaded", (_name, steps, text) => {
  expect(problems({ operations: { confirmStep: { steps } } }).join("\n")).toMatch(text);
});
