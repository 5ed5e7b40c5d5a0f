import fc from "fast-check";
import { expect, test } from "vitest";
import { workOrder } from "../../../../test/support/floor/embedded-store.ts";
import { line } from "../../../../test/support/floor/floor.ts";
import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { RequestLine } from "../../../contract/schemas/work-order.ts";
import { reuseLines, type ServedContent, servedContent } from "../served/served-content.ts";
import { applyPush, type Wanted, wantedByPush } from "../wanted.ts";
import { readAnew, rememberGroups } from "./remember-groups.ts";

/** The lines of the group after each push of a begun order: as they are remembered, and read anew. */
function linesAfter(contents: readonly (readonly RequestLine[])[]) {
  const { groupOf } = rememberGroups();
  const served: ServedContent[] = [];
  let wanted: Wanted | undefined;
  return contents.map((requests, index) => {
    const order = workOrder({ number: "N", requests: [...requests] });
    wanted = wanted === undefined ? wantedByPush(order) : applyPush(wanted, order, index, new Map());
    served.push(reuseLines(servedContent(order.requests), served.at(-1)));
    const member = { number: "N", order: undefined, ledgerLines: [], served: [...served] };
    const known = [groupOf, readAnew].map((read) => read("N", wanted as Wanted, ["N"], () => member).lines);
    return { remembered: known[0], anew: known[1] };
  });
}

test("a line has the unit of the latest content, also if that only leaves out another line of the item", () => {
  const metres = (amount: number) => line("A", amount, { unitOfMeasure: UnitOfMeasure.Meter });
  const after = linesAfter([[line("A", 2), metres(3)], [line("A", 2), metres(4)], [line("A", 2)]]);
  expect(after.map(({ remembered }) => remembered?.map(({ unit }) => unit))).toEqual([
    [UnitOfMeasure.Meter],
    [UnitOfMeasure.Meter],
    [UnitOfMeasure.Piece],
  ]);
});

test("a group whose order was pushed again is the one that is read anew", () => {
  const request = fc
    .record({
      itemNumber: fc.constantFrom("A", "B"),
      requestedAmount: fc.integer({ min: 1, max: 3 }),
      unitOfMeasure: fc.constantFrom(UnitOfMeasure.Piece, UnitOfMeasure.Meter),
      requestExternalIdentifier: fc.constantFrom(null, null, "1"),
    })
    .map(({ itemNumber, requestedAmount, ...members }) => line(itemNumber, requestedAmount, members));
  const contents = fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(contents, (given) => {
      for (const { remembered, anew } of linesAfter(given)) expect(remembered).toEqual(anew);
    }),
    { numRuns: 1000 },
  );
});
