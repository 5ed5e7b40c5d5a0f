import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./processes/child.ts";

const everyMs = 100;
const patienceMs = 300_000;

/** Waits until the receiver has this many events, because running deliveries would slow the next measurement. */
export async function drain(receiver: Child, events: number): Promise<void> {
  const endAt = performance.now() + patienceMs;
  for (let arrived = 0; arrived < events; arrived = await receiver.run<number>("count")) {
    if (performance.now() > endAt)
      throw new Error(`${arrived} of ${events} events were delivered, and no more arrived`);
    await sleep(everyMs);
  }
}
