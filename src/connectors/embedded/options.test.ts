import { expect, test } from "vitest";
import { readEmbeddedOptions } from "./options.ts";

test("without options the embedded system reads dates as UTC midnight and offers no extra columns", () => {
  expect(readEmbeddedOptions(undefined)).toEqual({
    timeZone: "UTC",
    timeOfDay: "00:00",
    exportColumns: [],
    indexableValueLabel: "",
    files: {},
  });
});

test("a wrong option is refused by its name", () => {
  expect(() => readEmbeddedOptions({ expireAfterDays: "soon" })).toThrow(/expireAfterDays/);
});

test("the given options are not changed", () => {
  const given = Object.freeze({ timeZone: "Europe/Zurich" });
  expect(readEmbeddedOptions(given).timeZone).toBe("Europe/Zurich");
});
