import { setTimeout as sleep } from "node:timers/promises";
import { benchKey } from "../data/bench-key.ts";
import type { Child } from "./processes/child.ts";

const everyMs = 100;
const patienceMs = 300_000;

/**
 * Waits until the receiver has this many events, because running deliveries would slow the next measurement. An event
 * that does not come is more than a failed measurement, so the error says what the adapter knows of it.
 */
export async function drain(receiver: Child, events: number, adapterUrl: string): Promise<void> {
  const endAt = performance.now() + patienceMs;
  for (let arrived = 0; arrived < events; arrived = await receiver.run<number>("count")) {
    if (performance.now() > endAt)
      throw new Error(
        `${arrived} of ${events} events were delivered, and no more arrived. ${await stateOf(adapterUrl)}`,
      );
    await sleep(everyMs);
  }
}

/** The targets of the adapter, and the entries that it has not delivered. */
async function stateOf(url: string): Promise<string> {
  const ask = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${benchKey}` } });
    return `${path}: ${(await answer.text()).slice(0, 4_000)}`;
  };
  return (await Promise.all(["/admin/targets", "/admin/deliveries"].map(ask))).join("\n");
}
