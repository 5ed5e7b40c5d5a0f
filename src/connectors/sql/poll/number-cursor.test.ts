import fc from "fast-check";
import { expect, test } from "vitest";
import { numberCursor } from "./number-cursor.ts";

const nowMs = Date.UTC(2026, 6, 1, 10);
const after = (cursor: string, values: readonly unknown[]) => {
  const numbers = numberCursor(cursor, nowMs);
  for (const value of values) numbers.note(value);
  return numbers.beforeFuture();
};

test.each([
  ["seconds", 1_000],
  ["milliseconds", 1],
  ["microseconds", 0.001],
])(
  "a time in %s that lies in the future is left behind, also if only the cursor shows the unit",
  (_name, msPerUnit) => {
    const at = (ms: number) => Math.trunc(ms / msPerUnit);
    const [earlier, last, future] = [at(nowMs - 5_000), at(nowMs - 1_000), at(Date.UTC(2099, 0, 1))];
    expect(after("0", [earlier, future, last])).toBe(String(last));
    expect(after(String(last), [String(future)])).toBe(String(last));
    expect(after(String(earlier), [last])).toBeNull();
  },
);

test("a clock that is some hours ahead is followed, as a time of the next day is no mistake of years", () => {
  expect(after(String(nowMs), [nowMs + 3 * 3_600_000])).toBeNull();
});

test("a sequence is never held up, not even where its numbers look like times", () => {
  const seconds = Math.trunc(nowMs / 1000);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 * seconds }),
      fc.array(fc.integer({ min: 1, max: 86_400 }), { maxLength: 200 }),
      (start, steps) => {
        let at = start;
        expect(
          after(
            String(start),
            steps.map((step) => {
              at += step;
              return at;
            }),
          ),
        ).toBeNull();
      },
    ),
  );
  expect(after("rowversion", ["x", null, undefined, 1.5])).toBeNull();
});

test("more than a thousand numbers beyond now are a sequence", () => {
  const future = Array.from({ length: 1_001 }, (_, index) => 4_000_000_000 + index * 1_000_000);
  expect(after(String(Math.trunc(nowMs / 1000)), future)).toBeNull();
});
