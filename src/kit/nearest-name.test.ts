import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

test.each([
  ["timezone", "timeZone"],
  ["tiemZone", "timeZone"],
  ["logLevl", "logLevel"],
  ["headr", "header"],
  ["title", undefined],
  ["colour", undefined],
  ["", undefined],
])("%j was probably meant as %s", (typed, meant) => {
  expect(nearestName(typed, ["timeZone", "timeOfDay", "logLevel", "header", "key"])).toBe(meant);
});
