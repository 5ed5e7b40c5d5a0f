import { expect, test } from "vitest";
import { pushedItemSchema, pushedWorkOrderSchema } from "../contract/pushes.ts";
import { workOrderSchema } from "../contract/schemas/work-order.ts";
import { compileMapping, type Mapped, MappingError, type MappingOptions } from "./compile-mapping.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };
const orders: MappingOptions = { dates, target: pushedWorkOrderSchema };

const orderRules = {
  number: "DocNum",
  dueDate: { from: "Due", date: "dd.MM.yyyy" },
  requests: {
    each: "Lines",
    map: { itemNumber: "Item", requestedAmount: "Qty", lotNumber: "^.Lot", requestType: "PickItem" },
  },
};
const order = { DocNum: 4711, Due: "31.12.2026", Lot: "L1", Lines: [{ Item: "007", Qty: "2.000" }] };

function problemsOf(spec: unknown, options: MappingOptions = orders): string[] {
  try {
    compileMapping(spec, options);
  } catch (error) {
    if (error instanceof MappingError) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("an ERP's order becomes one of the contract, without waiting for anything", () => {
  expect(compileMapping(orderRules, orders).apply(order)).toEqual({
    value: {
      number: "4711",
      dueDate: "2026-12-31T08:00:00+01:00",
      requests: [{ itemNumber: "007", requestedAmount: 2, lotNumber: "L1", requestType: 1 }],
    },
    problems: [],
  });
});

test("while a long list is mapped, other work runs, and the result is that of its parts", async () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => ({ Item: `I-${index}`, Qty: index % 2 === 0 ? "2" : "x" }));
  const { apply } = compileMapping(orderRules, orders);
  let turns = 0;
  let isOver = false;
  const tick = () => {
    turns += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const whole = await apply({ ...order, Lines: lines });
  isOver = true;
  expect(turns).toBeGreaterThan(4);
  const requestsOf = async (some: typeof lines) =>
    ((await apply({ ...order, Lines: some })).value as { requests: unknown[] }).requests;
  const parts = [await requestsOf(lines.slice(0, 100)), await requestsOf(lines.slice(100, 200))].flat();
  expect((whole.value as { requests: unknown[] }).requests.slice(0, 200)).toEqual(parts);
  expect(whole.problems[1]?.field).toBe("requests[3].requestedAmount");
});

test("a long list inside a text is complete when the text is written", () => {
  const map = { number: "DocNum", dueDate: "Due", externalData: { lines: { each: "Lines", map: { item: "Item" } } } };
  const Lines = Array.from({ length: 600 }, (_, index) => ({ Item: index }));
  const { value } = compileMapping(map, { dates, target: workOrderSchema, isPartial: true }).apply({
    ...{ ...order, Lines },
  }) as Mapped;
  const { externalData } = value as { readonly externalData: string };
  expect((JSON.parse(externalData) as { lines: unknown[] }).lines).toHaveLength(600);
});

test("an expression computes a member, and the members stay in the order of the rules", async () => {
  const rules = {
    description: "= Customer & ' / ' & $string(DocNum)",
    ...orderRules,
    requests: {
      each: "Lines",
      map: { requestExternalIdentifier: "= $parent.DocNum & '-' & Item", itemNumber: "Item", requestedAmount: "Qty" },
    },
  };
  const { value } = await compileMapping(rules, orders).apply({ ...order, Customer: "ACME" });
  expect(JSON.stringify(value)).toBe(
    '{"description":"ACME / 4711","number":"4711","dueDate":"2026-12-31T08:00:00+01:00",' +
      '"requests":[{"requestExternalIdentifier":"4711-007","itemNumber":"007","requestedAmount":2}]}',
  );
});

test("the value of an expression goes through the same steps as that of a path", async () => {
  const mapping = compileMapping({ a: { from: "= $.x * 2", round: "exact" } }, { dates });
  expect(await mapping.apply({ x: 2 })).toEqual({ value: { a: 4 }, problems: [] });
  expect((await mapping.apply({ x: 0.75 })).problems).toMatchObject([{ field: "a", source: "= $.x * 2" }]);
  expect((await mapping.apply({ x: "?" })).problems).toMatchObject([{ text: expect.stringMatching(/failed/) }]);
});

test("every problem names its field with index, and the source field it comes from", () => {
  const Lines = [{ Item: "a", Qty: 1 }, { Item: "b", Qty: 1.5 }, { Item: "c", Qty: "x" }, { Item: {} }];
  const { problems } = compileMapping(orderRules, orders).apply({ ...order, Lines }) as Mapped;
  expect(problems).toEqual([
    { field: "requests[1].requestedAmount", source: "Lines.Qty", text: expect.stringMatching(/1\.5.*add round/) },
    { field: "requests[2].requestedAmount", source: "Lines.Qty", text: expect.stringMatching(/"x" is not a number/) },
    { field: "requests[3].itemNumber", source: "Lines.Item", text: expect.stringMatching(/an object and not a text/) },
  ]);
});

test("the source field of a member is known, through lists and up to the record around", () => {
  const { sourceOf } = compileMapping({ ...orderRules, externalData: { a: "X.Y", b: "= 1" } }, orders);
  expect(sourceOf("requests[3].requestedAmount")).toBe("Lines.Qty");
  expect(sourceOf("requests[0].lotNumber")).toBe("Lot");
  expect(sourceOf("requests")).toBe("Lines");
  expect(sourceOf("requests[2].itemName")).toBe("Lines");
  expect(sourceOf("externalData.a")).toBe("X.Y");
  expect(sourceOf("externalData.b")).toBe("= 1");
  expect(sourceOf("description")).toBeUndefined();
});

test("each takes an expression, whose elements are mapped like those of a field, expressions included", async () => {
  const mapping = compileMapping(
    {
      lines: {
        each: "= $each(Moves{ Item: { 'item': $distinct(Item), 'sum': $sum(Qty) } }, function($line) { $line })",
        where: { item: ["A", "B"] },
        map: { item: "item", twice: "= sum * 2", order: "^.Number" },
      },
    },
    { dates },
  );
  const moves = [
    { Item: "A", Qty: 1 },
    { Item: "B", Qty: 5 },
    { Item: "A", Qty: 2 },
    { Item: "C", Qty: 9 },
  ];
  const { value, problems } = await mapping.apply({ Number: 7, Moves: moves });
  expect({ value, problems }).toEqual({
    value: {
      lines: [
        { item: "A", twice: 6, order: 7 },
        { item: "B", twice: 10, order: 7 },
      ],
    },
    problems: [],
  });
});

test("an expression in each that fails is a problem of the list", async () => {
  const mapping = compileMapping({ lines: { each: '= Moves.$number("x")', map: { n: "N" } } }, { dates });
  const { problems } = await mapping.apply({ Moves: [1] });
  expect(problems).toMatchObject([{ field: "lines", text: expect.stringContaining("the expression failed") }]);
});

test("lists may stand in lists, and ^ climbs from each to the one around", async () => {
  const rules = {
    a: { each: "A", map: { b: { each: "B", map: { up: "^.X", root: "^.^.X", e: "= $parent.X & $root.X" } } } },
  };
  const mapping = compileMapping(rules, { dates });
  const { value } = await mapping.apply({
    X: 1,
    A: [
      { X: 2, B: [{}, {}] },
      { X: 3, B: [{}] },
    ],
  });
  const [two, three] = [
    { up: 2, root: 1, e: "21" },
    { up: 3, root: 1, e: "31" },
  ];
  expect(value).toEqual({ a: [{ b: [two, two] }, { b: [three] }] });
  expect(mapping.sourceOf("a[1].b[2].up")).toBe("A.X");
});

test("a list of one element and the single element are read the same way", () => {
  const mapping = compileMapping({ name: "Customer.Name", lines: { each: "Line", map: { n: "N" } } }, { dates });
  const value = { name: "x", lines: [{ n: 1 }] };
  expect(mapping.apply({ Customer: [{ Name: "x" }], Line: { N: 1 } })).toEqual({ value, problems: [] });
  expect(mapping.apply({ Customer: { Name: "x" }, Line: [{ N: 1 }] })).toEqual({ value, problems: [] });
  expect(mapping.apply({ Customer: [{ Name: "x" }, { Name: "y" }] })).toEqual({ value: { lines: [] }, problems: [] });
});

test("`where` leaves out lines that do not match, and indexes count the remaining ones", () => {
  const map = { n: { from: "N", round: "exact" } };
  const mapping = compileMapping({ lines: { each: "L", where: { T: ["I", "S"], Open: true }, map } }, { dates });
  const L = [
    { T: "X", Open: true, N: 1 },
    { T: "I", Open: true, N: 2 },
    { T: "S", Open: true, N: 2.5 },
    { T: "S", N: 4 },
  ];
  expect(mapping.apply({ L })).toMatchObject({ value: { lines: [{ n: 2 }, {}] }, problems: [{ field: "lines[1].n" }] });
});

test("the first path that has a value counts; null and the empty text are no values", () => {
  const mapping = compileMapping({ a: { from: ["x", "y.z", "w"] }, b: { from: "x", else: "none" } }, { dates });
  expect(mapping.apply({ x: null, y: { z: "" }, w: 0 })).toEqual({ value: { a: 0, b: "none" }, problems: [] });
});

test("constants are given as a number, a flag, a value or a name of the contract's enumeration", () => {
  const lines = { each: "L", map: { itemNumber: "i", requestedAmount: 3, unitOfMeasure: { value: "Kilogram" } } };
  const mapping = compileMapping({ number: { value: "N" }, dueDate: { value: "2026-01-01" }, requests: lines }, orders);
  expect(mapping.apply({ L: [{ i: "x" }] })).toMatchObject({
    value: { number: "N", requests: [{ requestedAmount: 3, unitOfMeasure: 4 }] },
  });
});

test("external data takes the whole record, or members of it; a contract that wants a text gets JSON", async () => {
  const rest = { ...orderRules, externalData: { all: true, without: ["Lines"] } };
  expect(await compileMapping(rest, orders).apply({ ...order, Extra: 1 })).toMatchObject({
    value: { externalData: { DocNum: 4711, Due: "31.12.2026", Lot: "L1", Extra: 1 } },
  });
  const some = { ...orderRules, externalData: { value: { from: "Lot" }, members: "DocNum", sum: "= DocNum + 1" } };
  const wrapped = { ...orderRules, externalData: { members: { value: "Lot", sum: "= DocNum + 1" } } };
  expect(problemsOf(some)[0]).toMatch(/externalData\.members: unknown/);
  const { value } = await compileMapping(wrapped, { dates, target: workOrderSchema }).apply(order);
  expect(value).toMatchObject({ externalData: '{"value":"L1","sum":4712}' });
});

test.each([
  [{ ...orderRules, numbr: "a" }, "numbr: the contract has no such member; did you mean number?"],
  [{ ...orderRules, number: { from: "a", tirm: true } }, "number.tirm: unknown in this rule; did you mean trim?"],
  [{ dueDate: "a", requests: "b" }, "mapping: number is required and has no rule"],
  [{ ...orderRules, number: "a..b" }, /^number: "a\.\.b" is not a path/],
  [{ ...orderRules, number: "^.a" }, /^number: \^\.a leaves the record/],
  [{ ...orderRules, number: null }, /^number: is empty/],
  [{ ...orderRules, number: ["a", "b"] }, /^number: .*from: \[first, second\]/],
  [{ ...orderRules, requests: { map: {} } }, /^requests: is a list; write \{ each/],
  [{ ...orderRules, number: "= a &\n  * b" }, 'number (line 2, column 5): Syntax error: "b"'],
  [{ ...orderRules, number: { from: "= (a" } }, /^number\.from \(line 1, column 5\): Expected "\)"/],
  [{ ...orderRules, description: "= $match(a, /(?=x)/)" }, /^description: /],
  [{ ...orderRules, dueDate: { from: "a", date: "DD.MM.YYYY" } }, /^dueDate\.date: .*dd\.MM\.yyyy/],
  [{ ...orderRules, dueDate: { from: "a", date: true, zone: "Mars/Base" } }, /^dueDate\.date: .*Europe\/Berlin/],
  [JSON.parse('{"__proto__":"a"}'), /^__proto__: this name is not allowed/],
])("a mistake in the rules is refused with its place: %j", (spec, message) => {
  const problems = problemsOf(spec);
  expect(problems).toContainEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
});

test("all mistakes are reported at once, and those of lines at their own path", () => {
  const map = { itemNumber: "a", requestedAmount: { from: "q", round: "dwn", unit: { from: "u", factors: { K: 0 } } } };
  expect(problemsOf({ nmber: "a", dueDate: { from: "d", dat: true }, requests: { each: "L", map } })).toEqual([
    expect.stringMatching(/^nmber: .*number/),
    expect.stringMatching(/^dueDate\.dat: .*date/),
    expect.stringMatching(/^requests\.map\.requestedAmount\.unit\.factors\.K: /),
    expect.stringMatching(/^requests\.map\.requestedAmount\.unit: /),
    expect.stringMatching(/^requests\.map\.requestedAmount\.round: "dwn"/),
    "mapping: number is required and has no rule",
  ]);
});

test("required members may come from elsewhere if the mapping is partial", () => {
  expect(problemsOf({ name: "a" }, { dates, target: pushedItemSchema })).toHaveLength(1);
  expect(problemsOf({ name: "a" }, { dates, target: pushedItemSchema, isPartial: true })).toEqual([]);
});

test("members that every object inherits do not count as members of a record", () => {
  const rules = { a: "constructor", b: "__proto__", c: "x.toString", d: "list.length", e: "text.length" };
  const mapping = compileMapping(rules, { dates });
  expect(mapping.apply({ x: {}, list: [], text: "abc" })).toEqual({ value: {}, problems: [] });
  expect(mapping.apply(JSON.parse('{"constructor":1,"__proto__":2}'))).toEqual({ value: { a: 1, b: 2 }, problems: [] });
});

test("a record of the wrong kind gives an empty result and no crash", () => {
  for (const source of [null, undefined, 5, "x", [], [1, 2]]) {
    expect(compileMapping({ a: "b.c", l: { each: "m", map: {} } }, { dates }).apply(source)).toEqual({
      value: { l: [] },
      problems: [],
    });
  }
});

test("of a hundred thousand bad lines only the first problems are kept", async () => {
  const Lines = Array.from({ length: 100_000 }, () => ({ Item: "a", Qty: 0.5 }));
  const { problems } = await compileMapping(orderRules, orders).apply({ ...order, Lines });
  expect(problems).toHaveLength(100);
});
