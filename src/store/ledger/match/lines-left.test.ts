import fc from "fast-check";
import { expect, test } from "vitest";
import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { LedgerLine } from "../ledger-line.ts";
import { likeliestLine } from "../line-ref.ts";
import { linesLeft } from "./lines-left.ts";

const name = fc.constantFrom(null, null, "1", "2");
const amount = fc.integer({ min: 0, max: 4 });
const names = { externalId: name, itemNumber: fc.constantFrom("A", "B"), lot: name };
const shown = fc.record({
  ...names,
  requestId: fc.constant(null),
  unit: fc.constant(null),
  requested: fc.option(amount),
});
const stored = fc.record({
  ...names,
  requestId: fc.constantFrom(null, null, 7),
  requested: amount,
  intake: fc.option(amount),
  factor: fc.constantFrom(null, 1, 2),
  unit: fc.constantFrom(UnitOfMeasure.Piece, UnitOfMeasure.Meter),
});

const servedAmounts = (amounts: readonly number[]) => ({
  has: (amount: number) => amounts.includes(amount),
  divide: (amount: number) => amounts.some((one) => amount % one === 0),
});

test("the likeliest line is among the first of those that are alike", () => {
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 12 }), fc.array(shown, { maxLength: 6 }), (given, refs) => {
      // Only these members are compared.
      const lines = given.map((line, position) => ({ ...line, position }) as unknown as LedgerLine);
      const left = linesLeft(lines);
      // By the names alone, as the amounts of contents are.
      const amounts = {
        isPresent: ({ factor }: LedgerLine, requested: number) => requested * (factor ?? 1) === 2,
        served: ({ lot }: LedgerLine) => servedAmounts(lot === null ? [3] : [1, 4]),
      };
      for (const ref of refs) {
        for (const known of [undefined, amounts]) {
          expect(likeliestLine(left.firstLike(ref), ref, known)).toBe(likeliestLine(left.like(ref), ref, known));
        }
        const taken = likeliestLine(left.like(ref), ref, amounts);
        if (taken !== undefined) left.take(taken.position);
      }
    }),
    { numRuns: 3000 },
  );
});
