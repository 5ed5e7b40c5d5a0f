import { expect, test } from "vitest";
import { meantSentence, meantText, nearestName, withNext } from "./nearest-name.ts";

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

test("a question names what was probably meant, and is left out where nothing is similar", () => {
  const names = ["not", "filled", "startsWith"];
  expect(meantText("starts", names)).toBe("did you mean startsWith? ");
  expect(meantSentence("nott", names)).toBe("Did you mean not? ");
  expect([meantText("colour", names), meantText("", names)]).toEqual(["", ""]);
});

test("a sentence after a question has no second mark before it", () => {
  expect(withNext("did you mean not?", "Write it.")).toBe("did you mean not? Write it.");
  expect(withNext("there is none", "Write it.")).toBe("there is none. Write it.");
});
