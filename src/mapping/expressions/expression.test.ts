import jsonata from "jsonata";
import { expect, onTestFinished, test, vi } from "vitest";
import { workedMs } from "../../../test/support/longest-stall.ts";
import { compileMapping, type Mapped } from "../compile-mapping.ts";
import { expression, ownFunctions } from "./expression.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };

async function mapped(rule: string, source: unknown): Promise<Mapped> {
  return await compileMapping({ a: rule }, { dates }).apply(source);
}
const memberA = async (rule: string, source: unknown) => {
  const { value, problems } = await mapped(rule, source);
  return problems[0]?.text ?? (value as { a?: unknown }).a;
};

test("expressions can read dates, numbers, enumerations and roundings like rules do", async () => {
  const source = { d: "31.12.2026", q: "1.234,5", u: "kg" };
  expect(await memberA('= $date(d, "dd.MM.yyyy")', source)).toBe("2026-12-31T08:00:00+01:00");
  expect(await memberA('= $decimal(q, ",")', source)).toBe(1234.5);
  expect(await memberA('= $enum("UnitOfMeasure", u)', source)).toBe(4);
  expect(await memberA('= $whole($decimal(q, ","), "up")', source)).toBe(1235);
  expect(await memberA('= $whole(2.5, "exact")', source)).toMatch(/2\.5 is not a whole number/);
  expect(await memberA("= $date(missing)", source)).toBeUndefined();
});

test.each([
  "= constructor",
  "= `__proto__`",
  "= $.constructor.constructor",
  "= $string.constructor",
  "= $lookup($, '__proto__')",
  "= $lookup({}, 'constructor')",
  "= text.constructor",
  "= process",
  "= $globalThis",
  "= $require",
])("%s reaches nothing", async (rule) => {
  expect(await memberA(rule, { text: "x" })).toBeUndefined();
});

test("an expression cannot add members to the prototype of all objects", async () => {
  const rules = [
    "= {'__proto__': {'polluted': 1}}",
    "= $merge([{'__proto__': {'polluted': 1}}])",
    "= $ ~> |$|{'__proto__': {'polluted': 1}}|",
  ];
  for (const rule of rules) {
    await mapped(rule, JSON.parse('{"a":1,"__proto__":{"polluted":1}}'));
    expect({}).not.toHaveProperty("polluted");
  }
});

test.each(["= $eval('1')", "= $map(['1'], $eval)", "= ($e := $eval; $e('1'))"])(
  "%s is refused at the start",
  (rule) => {
    expect(() => compileMapping({ a: rule }, { dates })).toThrow(/\$eval is not available/);
  },
);

test.each([
  ["endless recursion", "= ($f := function($x) { $f($x + 1) + 1 }; $f(1))"],
  ["a huge range", "= [1..10000000]"],
  ["a long range", "= $sum([1..20000])"],
  ["a text that doubles itself", "= $reduce([1..100], function($a, $b) { $a & $a }, 'xx')"],
  ["a text too long for any field", "= $reduce([1..22], function($a, $b) { $a & $a }, 'x')"],
  [
    "a function that would look at every letter of such a text",
    "= $length($reduce([1..26], function($a, $b) { $a & $a }, 'xxxx'))",
  ],
  ["a function as value", "= $uppercase"],
  ["a function inside a value", "= {'a': [function($x) { $x }]}"],
])("%s is stopped and becomes a problem of that record", async (_what, rule) => {
  const { value, problems } = await mapped(rule, {});
  expect(value).toEqual({});
  expect(problems).toMatchObject([{ field: "a", text: expect.stringMatching(/^the expression failed: /) }]);
});

test("a pattern that would take forever in other engines is evaluated at once", async () => {
  expect(await memberA("= $contains(x, /^(a+)+$/)", { x: `${"a".repeat(5000)}!` })).toBe(false);
});

test("padding is bounded", async () => {
  expect(await memberA("= $length($pad('x', 400000000))", {})).toBe(1000);
  expect(await memberA("= $pad('7', -3, '0')", {})).toBe("007");
});

test("one record that times out does not delay the next; after several in a row, records are refused without an attempt", async () => {
  const rule = "= ($f := function($n) { $n = 0 ? 0 : $f($n - 1) }; $f(n))";
  const mapping = compileMapping({ a: rule }, { dates });
  const textOf = async (n: number) => (await mapping.apply({ n })).problems[0]?.text;
  expect(await textOf(-1)).toMatch(/timeout/);
  expect(await textOf(3)).toBeUndefined();
  const triedAt = workedMs();
  expect([await textOf(-1), await textOf(-1)]).toEqual([
    expect.stringMatching(/timeout/),
    expect.stringMatching(/timeout/),
  ]);
  const startedAt = workedMs();
  expect([await textOf(-1), await textOf(3)]).toEqual([
    expect.stringMatching(/not computed/),
    expect.stringMatching(/not computed/),
  ]);
  expect(workedMs() - startedAt).toBeLessThan((startedAt - triedAt) / 2);
});

test("a long list of expressions lets others in between", async () => {
  const mapping = compileMapping({ l: { each: "l", map: { a: "= x + 1" } } }, { dates });
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const { value } = await mapping.apply({ l: Array.from({ length: 1000 }, (_, x) => ({ x })) });
  clearImmediate(next);
  expect((value as { l: unknown[] }).l).toHaveLength(1000);
  expect(turns).toBeGreaterThan(10);
});

test("an expression that takes long lets others in between, also if several run at once", async () => {
  const { evaluate } = expression("($f := function($n) { $n = 0 ? 0 : $f($n - 1) }; $f(n))");
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await Promise.all([20_000, 20_001, 20_002].map((n) => evaluate({ n })));
  clearImmediate(next);
  expect(turns).toBeGreaterThan(10);
});

test("distinct values are found without comparing each with all others", async () => {
  const list = Array.from({ length: 9_000 }, (_, index) => ({ a: index % 4_500, b: "x" }));
  const { evaluate } = expression("$count($distinct(l))");
  // By comparing all pairs, this takes more processor time than any expression may use.
  expect(await evaluate({ l: list })).toBe(4_500);
});

test.each([
  ["texts and objects that look like them", "$distinct(l)", ['{"a":1}', { a: 1 }, '{"a":1}', { a: 1 }]],
  ["numbers and texts", "$distinct(l)", [1, "1", 1, true, null, null]],
  [
    "objects with their members in another order",
    "$distinct(l)",
    [
      { a: 1, b: [{ c: 1, d: 2 }] },
      { b: [{ d: 2, c: 1 }], a: 1 },
    ],
  ],
  ["one element", "$distinct(l)", [7]],
  ["the same value in every element", "$distinct(l.a)", [{ a: 1 }, { a: 1 }]],
  ["nothing", "$distinct(l.b)", [{ a: 1 }]],
])("distinct values are those of JSONata: %s", async (_what, text, list) => {
  const own = await jsonata(text).evaluate({ l: list });
  expect(JSON.stringify(await expression(text).evaluate({ l: list }))).toBe(JSON.stringify(own));
});

test("a mistake in an expression is reported with line and column", () => {
  expect(() => expression("a +\n b c")).toThrow(expect.objectContaining({ position: { line: 2, column: 4 } }));
});

test("an unknown function is reported when the rule is compiled, with the one that was probably meant", () => {
  const problem = (rule: string) => {
    try {
      compileMapping({ a: rule }, { dates });
      return null;
    } catch (error) {
      return String(error);
    }
  };
  expect(problem("= $uppercas(x)")).toContain("there is no function $uppercas; did you mean $uppercase?");
  expect(problem("= $dat(x)")).toMatch(/column 4.*did you mean \$date\?/);
  expect(problem("= x ~> $trimm")).toContain("$trimm");
  expect(problem("= ($f := function($v) { $v & '!' }; $f(x))")).toBeNull();
  expect(problem("= $map(x, function($v, $i) { $string($v) })")).toBeNull();
});

test("every function that counts as JSONata's own is one", async () => {
  for (const name of ownFunctions) {
    expect(await expression(`$type($${name})`).evaluate({}), name).toBe("function");
  }
});

test("only processor time counts: a clock that goes on while others have the processor fails no expression", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const wait = { run: () => void vi.setSystemTime(Date.now() + 5_000), signature: "<:x>" };
  const { evaluate } = expression("[$wait(), 1 + 1]", { wait });
  expect(await evaluate({})).toEqual([2]);
});
