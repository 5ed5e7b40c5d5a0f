import fc from "fast-check";
import jsonata from "jsonata";
import { expect, test } from "vitest";
import { cellText } from "./column.ts";
import { plainPath, readPath } from "./plain-path.ts";

test("an expression that only names members is a plain path", () => {
  expect(plainPath(" externalData.customer.name ")).toEqual({ source: "externalData", steps: ["customer", "name"] });
  expect(plainPath("order.`designated storage`.größe_2")).toEqual({
    source: "order",
    steps: ["designated storage", "größe_2"],
  });
  expect(plainPath("deliveryNote")).toEqual({ source: "deliveryNote", steps: [] });
});

test("anything else is left to JSONata", () => {
  const others = ["externalData.a[0]", "externalData.a & 'x'", "$string(order.number)", "externalData.*", "order.true"];
  for (const expression of [...others, "customer.name", "", "externalData.", "externalData.a-b", "externalData.1"]) {
    expect(plainPath(expression)).toBeNull();
  }
});

test("a plain path gives what JSONata gives, through objects and lists of any depth", async () => {
  const names = ["a", "b", "constructor"] as const;
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(1, "x", true, null, ""),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3 }),
    ),
  }));
  const steps = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(value, steps, async (externalData, path) => {
      // Passed through JSON once: values of the test library have no prototype, parsed values have one.
      const input = JSON.parse(JSON.stringify({ externalData }));
      const expected = await jsonata(["externalData", ...path].join(".")).evaluate(input);
      expect(cellText(readPath(input.externalData, path))).toEqual(cellText(expected));
    }),
    { numRuns: 2000 },
  );
});

test("members that every object inherits are no data", () => {
  expect(readPath({}, ["constructor", "name"])).toBeUndefined();
  expect(readPath(JSON.parse('{"__proto__":{"a":1}}'), ["__proto__", "a"])).toBe(1);
  expect(readPath([{}], ["toString"])).toBeUndefined();
});
