import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { seededRandom } from "../../../kit/seeded-random.ts";
import { type ChangeRates, noChanges, planChanges } from "./change-plan.ts";
import { type Family, openFamily } from "./order-family.ts";

/** What the external system wants of each pushed order, and what will happen to it on this day. */
export function openFamilies(
  pushed: readonly WorkOrder[],
  {
    seed,
    rates = noChanges,
    isTaught,
  }: { readonly seed: number; readonly rates: ChangeRates | undefined; readonly isTaught: boolean },
): ReadonlyMap<string, Family> {
  const batches = new Map<string, number>();
  for (const { deliveryNumber } of pushed) {
    if (deliveryNumber) batches.set(deliveryNumber, (batches.get(deliveryNumber) ?? 0) + 1);
  }
  return new Map(
    pushed.map((order) => {
      const plan = planChanges(rates, (purpose) => seededRandom(seed, `${purpose} of ${order.number}`));
      const isPutWall = (batches.get(order.deliveryNumber ?? "") ?? 0) > 1;
      return [order.number, openFamily(order, { plan, isPutWall, isTaught })];
    }),
  );
}
