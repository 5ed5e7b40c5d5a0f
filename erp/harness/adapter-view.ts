import { setTimeout as pause } from "node:timers/promises";
import { adapterKey } from "../../scripts/day/own-adapter.ts";

export interface EntryView {
  readonly seq: number;
  readonly topic: string;
  readonly text: string;
  readonly state: string;
  readonly reason: string | null;
  readonly orders: readonly string[];
}

async function admin(baseUrl: string, path: string): Promise<unknown> {
  const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${adapterKey}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Entries of the journal in these states, the newest first; at most five hundred. */
export async function entriesIn(baseUrl: string, states: readonly string[]): Promise<readonly EntryView[]> {
  const query = new URLSearchParams({ state: states.join(","), direction: "out", limit: "500" });
  // The documented answer of this route.
  return ((await admin(baseUrl, `/admin/journal?${query}`)) as { readonly entries: readonly EntryView[] }).entries;
}

const waiting = ["accepted", "inflight", "retry"];
const everyMs = 500;

/** Settles when everything is delivered or given up. Throws if nothing moves for too long. */
export async function untilDelivered(baseUrl: string, patienceMs: number): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let quietMs = 0; quietMs < patienceMs; quietMs += everyMs) {
    const left = await entriesIn(baseUrl, waiting);
    // Entries behind a given-up one wait for an operator.
    const stuck = new Set((await entriesIn(baseUrl, ["dead"])).flatMap(({ orders }) => orders));
    const open = left.filter(({ orders }) => !orders.some((order) => stuck.has(order)));
    if (open.length === 0) return;
    if (open.length < fewest) {
      fewest = open.length;
      quietMs = 0;
    }
    await pause(everyMs);
  }
  throw new Error(`${fewest} entries are still not delivered`);
}

/** Settles when the platform would get this many orders. */
export async function untilListed(baseUrl: string, count: number, patienceMs: number): Promise<void> {
  let listed = 0;
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += everyMs) {
    const answer = await fetch(`${baseUrl}/WorkOrders`);
    // The envelope of the contract.
    const { data } = (await answer.json()) as { readonly data: readonly unknown[] | null };
    listed = data?.length ?? 0;
    if (listed >= count) return;
    await pause(everyMs);
  }
  throw new Error(`the adapter lists ${listed} of ${count} orders`);
}
