import fc from "fast-check";
import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { pushRow } from "../contract/pushes.ts";
import { requestLineSchema, workOrderSchema } from "../contract/schemas/work-order.ts";
import { compileMapping, type Mapped } from "./compile-mapping.ts";

const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };

/** Applies one rule to a record. */
function made(rule: object, record: Record<string, unknown>): Mapped {
  // Without an expression the result is not a promise.
  return compileMapping({ a: rule }, { dates }).apply(record) as Mapped;
}
const memberA = (rule: object, x: unknown, more: Record<string, unknown> = {}): unknown => {
  const { value, problems } = made({ from: "x", ...rule }, { x, ...more });
  return problems[0]?.text ?? (value as { a?: unknown }).a;
};

test.each([
  ["dd.MM.yyyy", "31.12.2026", "2026-12-31T08:00:00+01:00"],
  ["d.M.yy H:mm", "1.7.26 9:05", "2026-07-01T09:05:00+02:00"],
  ["MM/dd/yyyy hh:mm a", "07/04/2026 01:30 pm", "2026-07-04T13:30:00+02:00"],
  ["yyyyMMddHHmmss", "20261231235959", "2026-12-31T23:59:59+01:00"],
  ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-12-31T10:00:00.250-05:00", "2026-12-31T10:00:00.25-05:00"],
  ["epoch-seconds", 1_798_700_400, "2026-12-31T07:00:00Z"],
  ["epoch-millis", "1798700400000", "2026-12-31T07:00:00Z"],
  [true, "2026-12-31", "2026-12-31T08:00:00+01:00"],
  [true, 20261231, "2026-12-31T08:00:00+01:00"],
  [true, "/Date(1798700400000+0100)/", "2026-12-31T07:00:00Z"],
  [true, new Date(1_798_700_400_000), "2026-12-31T07:00:00Z"],
])("a date by %s: %s", (date, x, expected) => {
  expect(memberA({ date }, x)).toBe(expected);
});

test("a rule may have a zone of its own", () => {
  expect(memberA({ date: true, zone: "America/New_York" }, "2026-12-31T10:00:00")).toBe("2026-12-31T10:00:00-05:00");
});

test.each(["00000000", "0000-00-00", "0000-00-00 00:00:00", "0001-01-01T00:00:00Z", "00.00.0000"])(
  "%s means that there is no date",
  (x) => {
    expect(memberA({ date: true }, x)).toBeUndefined();
  },
);

test.each([
  ["dd.MM.yyyy", "31.02.2026"],
  ["dd.MM.yyyy", "12/31/2026"],
  [true, "31.12.2026"],
  [true, "tomorrow"],
  ["epoch-seconds", "soon"],
])("by %s, %s is said to be no date", (date, x) => {
  expect(memberA({ date }, x)).toMatch(/date/);
});

test.each([
  [{ decimal: "," }, "1.234,50", 1234.5],
  [{ decimal: "." }, "1,234.50", 1234.5],
  [{ decimal: "," }, "12,5-", -12.5],
  [{ decimal: "," }, 7.5, 7.5],
  [true, "12.500", 12.5],
])("a number by %j: %s", (number, x, expected) => {
  expect(memberA({ number }, x)).toBe(expected);
});

test.each([
  [true, "1,5"],
  [{ decimal: "," }, "1.5"],
  [{ decimal: "." }, "abc"],
  [true, ""],
  [true, {}],
  [true, "1e999"],
])("a number that can be meant otherwise, or is none, is a problem or absent: %j %j", (number, x) => {
  expect(memberA({ number }, x)).toSatisfy((result) => result === undefined || /is not a number/.test(String(result)));
});

test("a fraction never becomes a whole amount unless the rule says how", () => {
  const mapping = compileMapping({ requestedAmount: "q" }, { dates, target: requestLineSchema, isPartial: true });
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), (q, asText) => {
      const { value, problems } = mapping.apply({ q: asText ? String(q) : q }) as Mapped;
      if (Number.isSafeInteger(q)) expect(value).toEqual({ requestedAmount: Number(q) });
      else expect(problems).toHaveLength(1);
    }),
  );
});

test.each([
  ["down", 1.5, 1],
  ["up", 1.1, 2],
  ["half-up", 1.5, 2],
  ["half-up", -1.5, -2],
  ["exact", "3.000", 3],
])("round %s makes of %s the amount %i", (round, x, expected) => {
  expect(memberA({ round }, x)).toBe(expected);
});

test("a unit is turned into the base unit, without the noise of binary fractions", () => {
  const unit = { from: "u", factors: { KAR: 12, KG: 1000, ST: 1 } };
  expect(memberA({ unit }, "2.5", { u: "KAR" })).toBe(30);
  expect(memberA({ unit, round: "exact" }, 1.1, { u: "KG" })).toBe(1100);
  expect(memberA({ unit: { factor: 0.001 } }, 2500)).toBe(2.5);
  expect(memberA({ unit: { ...unit, else: 1 } }, 2, { u: "BOX" })).toBe(2);
  expect(memberA({ unit }, 2, { u: "PAL" })).toMatch(/"PAL" has no factor.*KAR, KG, ST/);
  expect(memberA({ unit }, 2)).toMatch(/has no unit/);
});

test("whole amounts times whole factors are exact as long as numbers are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e8 }), fc.integer({ min: 1, max: 1e6 }), (x, factor) => {
      expect(memberA({ unit: { factor } }, x)).toBe(x * factor);
    }),
  );
});

test("a lookup gives what its table says; what is not there is a problem or the else", () => {
  const lookup = { A: "Picking", 1: "One", none: null };
  expect(memberA({ lookup }, "A")).toBe("Picking");
  expect(memberA({ lookup }, 1)).toBe("One");
  expect(memberA({ lookup }, "none")).toBeUndefined();
  expect(memberA({ lookup }, "B")).toMatch(/"B" is not in the lookup .*add it there, or add else/);
  expect(memberA({ lookup, else: "Other" }, "B")).toBe("Other");
  expect(memberA({ lookup, else: "Other" }, "none")).toBe("Other");
  expect(memberA({ lookup }, "constructor")).toMatch(/not in the lookup/);
});

test.each([
  ["UnitOfMeasure", "Kilogram", 4],
  ["UnitOfMeasure", "Stk", 0],
  ["UnitOfMeasure", "4", 4],
  ["RequestType", 2, 2],
  ["WorkOrderStatus", "completed", 3],
])("the enumeration %s knows %s", (name, x, expected) => {
  expect(memberA({ enum: name }, x)).toBe(expected);
});

test("an enumeration says which values there are, and a wrong name of one which was meant", () => {
  expect(memberA({ enum: "RequestType" }, "grab")).toMatch(/not one of Ignored, PickItem, PlaceItem/);
  expect(() => made({ from: "x", enum: "UnitOfMesure" }, {})).toThrow(/did you mean UnitOfMeasure/);
});

test("words for true and false are read, also the ERP's own", () => {
  expect(["J", "x", "1", true, "Nein", 0].map((x) => memberA({ boolean: true }, x))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  const own = { boolean: { true: ["offen"], false: "zu" } };
  expect(["OFFEN", "zu"].map((x) => memberA(own, x))).toEqual([true, false]);
  expect(memberA(own, "ja")).toMatch(/neither/);
});

test("texts are trimmed, stripped, padded and put together, in that order", () => {
  expect(memberA({ trim: true, stripLeading: "0" }, "  00042 ")).toBe("42");
  expect(memberA({ pad: { to: 6 }, prefix: "WO-" }, 42)).toBe("WO-000042");
  expect(memberA({ case: "upper", suffix: "/1" }, "ab")).toBe("AB/1");
  expect(memberA({ trim: true }, "   ")).toBeUndefined();
  expect(made({ join: ["f", "l", "list"], with: " " }, { f: "Ada", l: null, list: ["a", 2] }).value).toEqual({
    a: "Ada a 2",
  });
});

test("a number with too many digits is not accepted as an identifier", () => {
  expect(memberA({ text: true }, 4711)).toBe("4711");
  expect(memberA({ text: true }, 12345678901234567890n)).toBe("12345678901234567890");
  expect(memberA({ text: true }, 2 ** 60)).toMatch(/too many digits/);
});

test("the step number never rounds: what no number keeps stays as it is written", () => {
  expect(memberA({ number: true }, "1.0000000000000001")).toBe("1.0000000000000001");
  expect(memberA({ number: { decimal: "," } }, "1.000,0000000000000001")).toBe("1000.0000000000000001");
  expect(memberA({ number: { decimal: "," } }, "12345678901234567890-")).toBe("-12345678901234567890");
  expect(memberA({ number: { decimal: "," } }, "1.234,5-")).toBe(-1234.5);
});

const long = ["0.1234567890123456789", "12345678901234567890", "1.0000000000000001", 12345678901234567890n];

/** Applies one rule for an amount on hand, a remaining amount and a line of an order. */
function amountProblems(rule: object, x: unknown) {
  const targets = [
    ["amount", pushRow("stock").element],
    ["requestedAmount", pushRow("cancellations").element],
    ["requestedAmount", requestLineSchema],
  ] as const;
  return targets.map(([name, target]) => {
    // Without an expression the result is not a promise.
    const mapping = compileMapping({ [name]: { from: "x", ...rule } }, { dates, target, isPartial: true });
    const { value, problems } = mapping.apply({ x }) as Mapped;
    return problems.length === 0 ? value : problems.map(({ field, text }) => `${field}: ${text}`).join();
  });
}

test.each(long)("an amount that no number holds is refused with its digits: %s", (x) => {
  for (const rule of [{}, { number: true }, { unit: { factor: 1 } }, { unit: { factor: 12 } }, { round: "exact" }]) {
    for (const problem of amountProblems(rule, x)) {
      expect(problem).toMatch(/^(amount|requestedAmount): /);
      expect(problem).toMatch(new RegExp(`${String(x).replace(".", "\\.")}.? has more digits than a number keeps`));
    }
  }
});

test("an amount is rounded where the rule says so, but never to a number that cannot be held", () => {
  expect(amountProblems({ round: "half-up" }, "1.0000000000000001")).toEqual([
    { amount: 1 },
    { requestedAmount: 1 },
    { requestedAmount: 1 },
  ]);
  for (const problem of amountProblems({ round: "up" }, "12345678901234567890.5")) {
    expect(problem).toMatch(/12345678901234567890\.5.? has more digits than a number keeps/);
  }
});

/** What an expression makes of a record with this x: a member's value, or its problem. */
async function evaluated(rule: unknown, name: string, target: TSchema, x: unknown): Promise<unknown> {
  const mapping = compileMapping({ [name]: rule }, { dates, target, isPartial: true });
  const { value, problems } = await mapping.apply({ x });
  // The mapping has one member of this name.
  return problems.length === 0 ? (value as Record<string, unknown>)[name] : problems.map(({ text }) => text).join();
}

test.each(long.filter((x) => typeof x === "string"))("$number in an expression rounds no amount: %s", async (x) => {
  const amounts = [
    ["= $number(x)", "amount", pushRow("stock").element],
    ["= $number(x) * 2", "requestedAmount", pushRow("cancellations").element],
    ["= x ~> $number", "requestedAmount", requestLineSchema],
    ["= 'N' & $number(x)", "number", workOrderSchema],
    ["= [x].{ 'itemNumber': 'A', 'requestedAmount': $number($) }", "requests", workOrderSchema],
  ] as const;
  for (const [rule, name, target] of amounts) {
    expect(await evaluated(rule, name, target, x), rule).toMatch(
      new RegExp(`${x.replace(".", "\\.")}.? has more digits than a number keeps`),
    );
  }
});

test("$number reads what JSONata reads, and rounds measures and what a rule rounds", async () => {
  const stock = pushRow("stock").element;
  const amount = (x: unknown, rule: unknown = "= $number(x)") => evaluated(rule, "amount", stock, x);
  expect(await Promise.all([amount("12.50"), amount(7), amount(true), amount("0x1F"), amount("-1e3")])).toEqual([
    ...[12.5, 7, 1, 31, -1000],
  ]);
  expect(await amount(undefined)).toBeUndefined();
  expect(await amount("1,5")).toContain('Unable to cast value to a number: "1,5"');
  expect(await amount("1.0000000000000001", { from: "= $number(x)", round: "half-up" })).toBe(1);
  expect(await evaluated("= $number(x)", "weight", pushRow("items").element, "0.3333333333333333333333")).toBe(1 / 3);
  // An external system gets what its rule computes.
  const outgoing = compileMapping({ price: "= $number(x)" }, { dates });
  expect(await outgoing.apply({ x: "0.3333333333333333333333" })).toMatchObject({ value: { price: 1 / 3 } });
});

test("a measure of an item becomes the nearest number, as in a push", () => {
  const target = pushRow("items").element;
  const weight = (rule: object) =>
    compileMapping({ number: "n", weight: { from: "x", ...rule } }, { dates, target }).apply({
      n: "A",
      x: "0.3333333333333333333333",
    });
  expect(weight({})).toEqual({ value: { number: "A", weight: 1 / 3 }, problems: [] });
  expect(weight({ unit: { factor: 3 } })).toEqual({ value: { number: "A", weight: 1 }, problems: [] });
});
