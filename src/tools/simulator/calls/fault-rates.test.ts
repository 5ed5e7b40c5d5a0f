import { expect, test } from "vitest";
import { noFaults, readFaultRates } from "./fault-rates.ts";

test("faults are named with their share", () => {
  expect(readFaultRates("repeat=1%, abort=0.5%")).toEqual({ rates: { ...noFaults, repeat: 0.01, abort: 0.005 } });
});

test("all means every fault that needs nothing but the adapter", () => {
  const read = readFaultRates("all=2%,late=5%");
  const expected = { repeat: 0.02, abort: 0.02, late: 0.05, parallel: 0.02, reorder: 0.02, "mid-pick-cancel": 0.02 };
  expect(read).toEqual({ rates: { ...expected, "erp-down": 0 } });
});

test.each([
  ["abort", "such as abort=1%"],
  ["abort=1", "such as abort=1%"],
  ["abort=101%", "such as abort=1%"],
  ["abbort=1%", "repeat, abort, late"],
])("%s is answered with what is meant", (text, problem) => {
  const read = readFaultRates(text);
  expect("problem" in read && read.problem).toContain(problem);
});
