import { RequestType } from "../../contract/enums.ts";
import type { Random } from "../../kit/seeded-random.ts";
import type { RunningOrder } from "../orders/running-order.ts";

/** What one operator does in one go. */
export type Job =
  | { readonly kind: "single"; readonly orders: readonly [RunningOrder] }
  | { readonly kind: "cart"; readonly orders: readonly RunningOrder[] }
  | { readonly kind: "put wall"; readonly code: string; readonly orders: readonly RunningOrder[] };

const maxCartOrders = 5;
const estimatedMsPerLine = 35_000;
const estimatedMsPerJob = 60_000;

/** Batches go to the put wall, put-aways are done singly, and of the rest some are picked together with a cart. */
export function makeJobs(orders: readonly RunningOrder[], random: Random): Job[] {
  const batches = new Map<string, RunningOrder[]>();
  for (const running of orders) {
    const code = running.order.deliveryNumber ?? "";
    if (code !== "" && running.source === "list") batches.set(code, [...(batches.get(code) ?? []), running]);
  }
  const jobs: Job[] = [];
  let cart: RunningOrder[] = [];
  let cartSize = random.whole(2, maxCartOrders);
  for (const running of orders) {
    const code = running.order.deliveryNumber ?? "";
    const batch = batches.get(code) ?? [];
    if (batch.length > 1) {
      if (batch[0] === running) jobs.push({ kind: "put wall", code, orders: batch });
    } else if (running.lines.some(({ type }) => type === RequestType.PlaceItem) || random.chance(0.55)) {
      jobs.push({ kind: "single", orders: [running] });
    } else {
      cart.push(running);
      if (cart.length < cartSize) continue;
      jobs.push({ kind: "cart", orders: cart });
      cart = [];
      cartSize = random.whole(2, maxCartOrders);
    }
  }
  if (cart.length > 0) jobs.push({ kind: "cart", orders: cart });
  return jobs;
}

/**
 * Who does what, decided before anybody begins: the next job goes to whoever is free first on a floor where everything
 * takes as long as expected. Decided while it runs, it would hang on how fast the adapter answers, and the same seed
 * would not give the same calls.
 */
export function planShift(
  jobs: readonly Job[],
  { operators, shiftMs }: { readonly operators: number; readonly shiftMs: number },
): Job[][] {
  const desks = Array.from({ length: operators }, () => ({ freeAtMs: 0, jobs: [] as Job[] }));
  for (const job of jobs) {
    const next = desks.reduce((first, desk) => (desk.freeAtMs < first.freeAtMs ? desk : first));
    if (next.freeAtMs >= shiftMs) break;
    const lines = job.orders.reduce((sum, { lines }) => sum + lines.length, 0);
    next.freeAtMs += estimatedMsPerJob + lines * estimatedMsPerLine;
    next.jobs.push(job);
  }
  return desks.map(({ jobs }) => jobs);
}
