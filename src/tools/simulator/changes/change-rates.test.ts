import { expect, test } from "vitest";
import { changeNames, noChanges, readChangeRates } from "./change-plan.ts";

test("a bare share sets every kind of change and every freedom of the platform", () => {
  const read = readChangeRates("5%");
  expect(read).toEqual({ rates: Object.fromEntries(changeNames.map((name) => [name, 0.05])) });
});

test("each kind can have its own share, and what is not named does not happen", () => {
  const rates = { ...noChanges, "raise-line": 0.05, "fetch-again": 0.02 };
  expect(readChangeRates("raise-line=5%, fetch-again=2%")).toEqual({ rates });
});

test.each(["5", "raise-line", "raise-line=500%", "wonder=5%", "-5%"])("%s is refused with what there is", (text) => {
  expect(readChangeRates(text)).toHaveProperty("problem");
});
