import { expect, test } from "vitest";
import { diskState } from "./watch-disk.ts";

const mib = 2 ** 20;
const gib = 2 ** 30;

test.each([
  [100 * gib, 10 * gib, "enough"],
  [100 * gib, 400 * mib, "low"],
  [100 * gib, 100 * mib, "full"],
  [32 * mib, 8 * mib, "enough"],
  [32 * mib, 1 * mib, "low"],
  [32 * mib, 0.2 * mib, "full"],
])("of %i bytes, %i free are %s", (total, free, state) => {
  expect(diskState(free, total)).toBe(state);
});
