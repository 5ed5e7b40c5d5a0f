import fc from "fast-check";
import { Build } from "typebox/schema";
import { expect, test } from "vitest";
import { operationRow } from "../operations.ts";
import { pushRow } from "../pushes.ts";
import { compiledCheck, validator } from "./validator.ts";

const step = validator(operationRow("confirmStep").body ?? {});
const relocate = validator(operationRow("relocateCartContainers").body ?? {});
const order = validator(pushRow("workOrders").element);

test("a compiled schema does not keep the text of its code", () => {
  const { element: schema } = pushRow("workOrders");
  const control = Build(schema).Evaluate();
  const ours = compiledCheck(schema);
  expect(control.Code().length).toBeGreaterThan(1_000);
  expect(ours.Code()).toBe("");
  expect([control, ours].map((one) => [one.IsAccelerated(), one.Check({})])).toEqual([
    [true, false],
    [true, false],
  ]);
});

test("every problem of a body is named at once, each with its field and what was expected", () => {
  const body = {
    workOrderNumber: "",
    requestId: 1.5,
    requestType: 9,
    itemNames: [{ isDefault: "yes" }],
    amountToConfirmPlacingInBaseUnitOfMeasure: -1,
  };
  expect(step.isValid(body)).toBe(false);
  expect(step.problems(body)).toEqual(
    expect.arrayContaining([
      { field: "workOrderNumber", expected: "filled-text", found: '""' },
      { field: "requestId", expected: "whole-number", found: "1.5" },
      { field: "requestType", expected: "one-of", detail: "0, 1, 2", found: "9" },
      { field: "itemNames[0].isDefault", expected: "flag", found: '"yes"' },
      { field: "amountToConfirmPlacingInBaseUnitOfMeasure", expected: "confirmed-amount", found: "-1" },
    ]),
  );
  expect(step.problems(body)).toHaveLength(5);
});

test("a member that is not there is missing, and nothing was found", () => {
  expect(relocate.problems([{ containerCode: "C", workOrder: {} }])).toEqual([
    { field: "[0].destinationLocationName", expected: "present" },
    { field: "[0].workOrder.number", expected: "present" },
  ]);
});

test("a step without a summary and without an amount names both choices", () => {
  const detail = "amountToConfirmPickingSummary, amountToConfirmPlacingInBaseUnitOfMeasure";
  for (const nothing of [{}, { amountToConfirmPickingSummary: null }]) {
    expect(step.problems({ workOrderNumber: "WO-1", requestId: 1, ...nothing })).toEqual([
      { field: "", expected: "one-member-of", detail },
    ]);
  }
});

test("a body that is not an object is one problem of the whole body", () => {
  for (const body of [null, [], "text", 7, true]) {
    expect(step.problems(body)).toEqual([{ field: "", expected: "object", found: JSON.stringify(body) }]);
  }
});

test("a pushed order needs lines with whole amounts above zero", () => {
  const line = { itemNumber: "A", requestedAmount: 0 };
  expect(order.problems({ number: "WO-1", dueDate: "2026-03-01", requests: [] })).toEqual([
    { field: "requests", expected: "filled-list", found: "[]" },
  ]);
  expect(order.problems({ number: "WO-1", dueDate: "2026-03-01", requests: [line] })).toEqual([
    { field: "requests[0].requestedAmount", expected: "at-least", detail: "1", found: "0" },
  ]);
});

test("a bad value of a map is one problem, at its key", () => {
  const report = validator(operationRow("getReport").body ?? {});
  const body = { workOrdersNumbers: [], storageId: "Main", remainingRequests: { "A-1": "two", "A-2": 2 } };
  expect(report.problems(body)).toEqual([{ field: "remainingRequests.A-1", expected: "number", found: '"two"' }]);
});

test("what was found is shortened, so that a file in the wrong member does not fill the log", () => {
  const [problem] = step.problems({
    workOrderNumber: ["x".repeat(1000)],
    requestId: 1,
    amountToConfirmPickingSummary: {},
  });
  expect(problem?.found).toMatch(/^\["x{58}…$/);
});

test("all errors of a long list are counted", () => {
  const elements = Array.from({ length: 1000 }, () => ({}));
  expect(relocate.problemCount(elements, [])).toBe(3000);
});

test("an input is valid if and only if it has no problems, whatever is sent", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const { isValid, problems } of [step, relocate, order]) {
        expect(problems(value).length === 0).toBe(isValid(value));
      }
    }),
    { numRuns: 300 },
  );
});
