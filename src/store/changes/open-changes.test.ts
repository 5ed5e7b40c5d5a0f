import fc from "fast-check";
import { expect, test } from "vitest";
import { type Reading, SimulatedPlatform } from "../../../test/support/adapter/simulated-platform.ts";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { type Floor, line, openFloor } from "../../../test/support/floor/floor.ts";

const items = ["A", "B", "C"] as const;
const item = fc.constantFrom(...items);
const index = fc.nat(2);

/** Something that happens to the platform's order, as a function of the warehouse it happens in. */
type Happening = (warehouse: Warehouse) => void;
const named = (arbitrary: fc.Arbitrary<readonly [string, Happening]>): fc.Arbitrary<Happening> =>
  arbitrary.map(([name, happen]) => Object.assign(happen, { [fc.toStringMethod]: () => name }));

const pick = named(
  fc
    .tuple(index, fc.nat(6), fc.constantFrom("applied" as const, "lost" as const))
    .map(([at, amount, answer]) => [
      `pick ${amount} of line ${at}, answer ${answer}`,
      ({ platform }) => platform.pick(at, amount, answer),
    ]),
);
const giveUp = named(index.map((at) => [`give up line ${at}`, ({ platform }) => platform.giveUp(at)]));
const reduce = named(
  fc.tuple(item, fc.nat(12)).map(([itemNumber, requestedAmount]) => [
    `the ERP wants no more than ${requestedAmount} of ${itemNumber}`,
    ({ floor, number, wish }) => {
      const lower = Math.min(wish[itemNumber] ?? 0, requestedAmount);
      floor.cancel({ workOrderNumber: number, itemNumber, requestedAmount: lower });
      wish[itemNumber] = lower;
    },
  ]),
);
const cancelOrder = named(
  fc.constant([
    "the ERP cancels the order",
    ({ floor, number, wish }) => {
      floor.cancel({ workOrderNumber: number });
      for (const itemNumber of items) wish[itemNumber] = 0;
    },
  ]),
);
const place = named(
  fc
    .tuple(item, fc.nat(3))
    .map(([itemNumber, completedAmount]) => [
      `put ${completedAmount} of ${itemNumber} into the wall`,
      ({ floor, number: workOrderNumber }) =>
        void floor.event("confirmPutWallPlacement", { workOrderNumber, itemNumber, completedAmount }),
    ]),
);
const cancelItem = named(
  item.map((itemNumber) => [
    `cancel ${itemNumber} at the wall`,
    ({ floor, number: workOrderNumber }) => void floor.event("cancelPutWallItem", { workOrderNumber, itemNumber }),
  ]),
);

const amounts = fc.record({
  A: fc.integer({ min: 1, max: 12 }),
  B: fc.integer({ min: 1, max: 12 }),
  C: fc.integer({ min: 1, max: 12 }),
});

interface Warehouse {
  readonly floor: Floor;
  readonly platform: SimulatedPlatform;
  readonly number: string;
  /** The ERP's latest requested amounts, by item. */
  readonly wish: Record<string, number>;
}

/** Each run has its own order in one shared database: opening a database per run would take minutes. */
function warehouses(reading: Reading) {
  const floor = openFloor();
  let count = 0;
  return (requested: Record<string, number>): Warehouse => {
    count += 1;
    const number = `N${count}`;
    floor.push(workOrder({ number, requests: items.map((name) => line(name, requested[name] ?? 1)) }));
    const platform = new SimulatedPlatform(floor, reading, number, requested);
    return { floor, platform, number, wish: { ...requested } };
  };
}

const ledgerLinesOf = ({ floor, number }: Warehouse) =>
  floor.ledgerLines(number) as { item: string; requested: number; picked: number; cancelled: number }[];

for (const reading of ["patching", "replacing"] as const) {
  test(`whatever happens on a ${reading} platform, ledger lines add up and no offer goes below what is picked`, () => {
    const openWarehouse = warehouses(reading);
    const happenings = fc.array(fc.oneof(pick, pick, giveUp, reduce, cancelOrder, place, cancelItem), {
      maxLength: 15,
    });
    fc.assert(
      fc.property(amounts, happenings, (requested, happened) => {
        const warehouse = openWarehouse(requested);
        for (const happen of happened) {
          happen(warehouse);
          for (const ledgerLine of ledgerLinesOf(warehouse)) {
            const remaining = ledgerLine.requested - ledgerLine.picked - ledgerLine.cancelled;
            expect(Math.min(ledgerLine.picked, ledgerLine.cancelled, remaining)).toBeGreaterThanOrEqual(0);
            expect(ledgerLine.requested).toBeLessThanOrEqual(requested[ledgerLine.item as "A"]);
          }
        }
        for (const { amount, picked } of warehouse.platform.offers) expect(amount).toBeGreaterThanOrEqual(picked);
      }),
      { numRuns: 500 },
    );
  });

  test(`a ${reading} platform ends with what the ERP wants, or with what was picked before it could know`, () => {
    const openWarehouse = warehouses(reading);
    const happenings = fc.array(fc.oneof(pick, pick, giveUp, reduce, cancelOrder), { maxLength: 12 });
    fc.assert(
      fc.property(amounts, happenings, (requested, happened) => {
        const warehouse = openWarehouse(requested);
        const { platform, wish } = warehouse;
        for (const happen of happened) happen(warehouse);
        for (let at = 0; at < items.length; at++) platform.pick(at, 0);

        for (const { itemNumber, picked, isCancelled } of platform.lines) {
          const expected = isCancelled ? picked : Math.max(picked, wish[itemNumber] ?? 0);
          expect([itemNumber, platform.wanted()[itemNumber]]).toEqual([itemNumber, expected]);
          const ledgerLine = ledgerLinesOf(warehouse).find((one) => one.item === itemNumber);
          expect(ledgerLine?.picked ?? 0).toBe(picked);
        }
      }),
      { numRuns: 500 },
    );
  });
}

test("a line removed before the order began is offered still after the rest was given up and the order cancelled", () => {
  const { floor, platform, number } = warehouses("replacing")({ A: 1, B: 1, C: 1 });
  floor.cancel({ workOrderNumber: number, itemNumber: "B", requestedAmount: 0 });
  platform.giveUp(2);
  platform.giveUp(0);
  floor.cancel({ workOrderNumber: number });
  for (let at = 0; at < items.length; at++) platform.pick(at, 0);
  // A platform that replaces its order drops the lines it was told are cancelled.
  expect(platform.wanted()["B"] ?? 0).toBe(0);
});
