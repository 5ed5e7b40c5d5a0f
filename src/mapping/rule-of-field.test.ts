import { expect, test } from "vitest";
import { ruleOfField } from "./rule-of-field.ts";

const map = {
  number: "DocNum",
  requests: { each: "Lines", map: { itemNumber: "Item", requestedAmount: { from: "Qty", round: "down" } } },
};

test("the rule of a member is found, also inside a list", () => {
  expect(ruleOfField(map, "number")).toEqual({ path: ["number"], rule: "DocNum" });
  expect(ruleOfField(map, "requests[12].requestedAmount")).toEqual({
    ...{ path: ["requests", "map", "requestedAmount"], rule: { from: "Qty", round: "down" } },
  });
});

test("a member without a rule has that of its list, or none", () => {
  expect(ruleOfField(map, "requests[0].unit")?.path).toEqual(["requests"]);
  for (const field of ["dueDate", "", "__proto__", "constructor.name"]) expect(ruleOfField(map, field)).toBeNull();
  expect(ruleOfField(undefined, "number")).toBeNull();
});
