import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../../kit/ids.ts";
import { generateItems, generateOrders } from "../orders/generate-items.ts";
import { runningOrder } from "../orders/running-order.ts";
import { makeJobs, planShift } from "./office-work.ts";

function ordersOf(seed: number, count: number) {
  const random = seededRandom(seed, "test");
  const [first, ...others] = generateItems({ run: "T", count: 20, random });
  if (first === undefined) throw new Error("no items");
  const orders = generateOrders({ run: "T", count, items: [first, ...others], random, storage: "Main" });
  return orders.map((order, index) => runningOrder(order, index + 1, "list"));
}

const shiftMs = Number.POSITIVE_INFINITY;

test("every order is worked on exactly once, whatever the seed and the number of operators", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 20 }),
      (seed, count, operators) => {
        const orders = ordersOf(seed, count);
        const plan = planShift(makeJobs(orders, seededRandom(seed, "jobs")), { operators, shiftMs });
        const worked = plan.flat().flatMap((job) => job.orders.map(({ order }) => order.number));
        expect(worked.toSorted()).toEqual(orders.map(({ order }) => order.number));
      },
    ),
    { numRuns: 50 },
  );
});

test("a day has all kinds of work: single orders, carts and batches for the put wall", () => {
  const kinds = new Set(makeJobs(ordersOf(1, 200), seededRandom(1, "jobs")).map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(["cart", "put wall", "single"]);
});

test("what does not fit into the shift is left for the next one", () => {
  const jobs = makeJobs(ordersOf(1, 200), seededRandom(1, "jobs"));
  const planned = planShift(jobs, { operators: 2, shiftMs: 600_000 }).flat();
  expect(planned.length).toBeGreaterThan(0);
  expect(planned.length).toBeLessThan(jobs.length);
});
