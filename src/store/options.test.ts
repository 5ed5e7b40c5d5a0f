import { Value } from "typebox/value";
import { expect, test } from "vitest";
import { withDefaults } from "./option-defaults.ts";
import { embeddedOptions } from "./options.ts";

test("without options the embedded system reads dates as UTC midnight and offers no extra columns", () => {
  expect(withDefaults({})).toEqual({
    timeZone: "UTC",
    timeOfDay: "00:00",
    exportColumns: [],
    indexableValueLabel: "",
    servesOrders: true,
    files: { badRecords: "refuse" },
    removedReceiptAfterMinutes: 720,
  });
});

test("what is filled in is what the schema says, and passes it", () => {
  expect(Value.Default(embeddedOptions, {})).toEqual(withDefaults({}));
  expect(Value.Check(embeddedOptions, withDefaults({}))).toBe(true);
});

test("what is said stays", () => {
  expect(withDefaults({ timeZone: "Europe/Zurich", expireAfterDays: 3 })).toMatchObject({
    timeZone: "Europe/Zurich",
    timeOfDay: "00:00",
    expireAfterDays: 3,
  });
});
