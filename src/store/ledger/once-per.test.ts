import { expect, test } from "vitest";
import { oncePer } from "./once-per.ts";

test("something is found out once per object, also if there is nothing to find", () => {
  let asked = 0;
  const lengthOf = oncePer((list: readonly unknown[]) => {
    asked += 1;
    return list.length === 0 ? undefined : list.length;
  });
  const [one, same, none] = [["a"], ["a"], []];
  expect([lengthOf(one), lengthOf(one), lengthOf(same), lengthOf(none), lengthOf(none)]).toEqual([
    1,
    1,
    1,
    undefined,
    undefined,
  ]);
  expect(asked).toBe(3);
});
