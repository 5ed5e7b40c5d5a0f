import fc from "fast-check";
import { expect, test } from "vitest";
import { memberAt } from "../../kit/json/member-path.ts";
import { compileMapping } from "../../mapping/compile-mapping.ts";
import { template } from "./template.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };

const odd = fc.oneof(
  fc.constantFrom("a", "a.b", "customer.", "@odata.nextLink", "0", "x}y", 'say "hi"', "back\\slash", ""),
  fc.string(),
);

/** Builds a value that has "found" at the end of these steps, and other members beside them. */
const valueAt = (steps: readonly (string | number)[], neighbour: string): unknown =>
  steps.reduceRight<unknown>(
    (inner, step) =>
      typeof step === "number"
        ? [...Array<string>(step).fill("other"), inner, "other"]
        : Object.fromEntries([
            [`${neighbour}~`, "other"],
            [step, inner],
          ]),
    "found",
  );

test("whatever the names are, a path in quotes reads exactly that member, in every place where paths are used", () => {
  const steps = fc.array(fc.oneof(odd, fc.nat(3)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(steps, fc.string(), (given, neighbour) => {
      const value = valueAt(given, neighbour);
      const path = given
        .map((step) => (typeof step === "number" ? `[${step}]` : `["${step.replace(/["\\]/g, "\\$&")}"]`))
        .join("");
      expect(memberAt(value, path)).toBe("found");
      expect(template(`{record${path}}`).value({ record: value })).toBe("found");
      expect(compileMapping({ made: path }, { dates }).apply(value)).toMatchObject({ value: { made: "found" } });
    }),
  );
});

test.each([
  ["@odata.nextLink", { "@odata.nextLink": 1 }, 1],
  ["a.b", { a: { b: 1 }, "a.b": 2 }, 1],
  ['["a.b"]', { a: { b: 1 }, "a.b": 2 }, 2],
  ['["customer."].rec_name', { customer: 7, "customer.": { rec_name: "Ann" } }, "Ann"],
  ["rows.0.id", { rows: [{ id: 1 }, { id: 2 }] }, 1],
  ["row.id", { row: [{ id: 1 }] }, 1],
  ["row.id", { row: [{ id: 1 }, { id: 2 }] }, undefined],
  ["steps[0].id", { steps: { 0: { id: 1 } } }, 1],
  ["constructor", {}, undefined],
])("the path %s of %j is %j", (path, value, expected) => {
  expect(memberAt(value, path)).toBe(expected);
  const mapped = compileMapping({ made: path }, { dates }).apply(value);
  expect(mapped).toMatchObject({ value: expected === undefined ? {} : { made: expected } });
});
