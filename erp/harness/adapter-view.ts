import { setTimeout as pause } from "node:timers/promises";
import { adapterKey } from "../../scripts/day/own-adapter.ts";
import { readJournal } from "../../src/tools/simulator/records/compare-journal.ts";
import type { PickedByReceipt } from "./compare-books.ts";

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

/** The documented members of a receipt that matter here. */
interface Receipt {
  readonly workOrderNumber: string;
  readonly requestExternalIdentifier?: string;
  readonly itemNumber?: string;
  readonly lotNumber?: string;
  readonly pickedAmount?: number;
}

/** What was picked of each changed line, as the newest receipt of the line says. */
export async function pickedByReceipts(baseUrl: string): Promise<readonly PickedByReceipt[]> {
  const newest = new Map<string, { readonly seq: number; readonly told: PickedByReceipt }>();
  const journal = await readJournal({ baseUrl, apiKey: adapterKey }, new Date(0));
  for await (const { seq, topic, body } of journal ?? []) {
    if (topic !== "changeReceipt") continue;
    // The topic says what it is.
    const receipt = JSON.parse(body) as Receipt;
    const {
      workOrderNumber: order,
      requestExternalIdentifier,
      itemNumber: item = null,
      lotNumber,
      pickedAmount,
    } = receipt;
    const line = JSON.stringify([order, requestExternalIdentifier ?? [item, lotNumber]]);
    const known = newest.get(line);
    if (known === undefined || known.seq < seq)
      newest.set(line, { seq, told: { order, item, picked: pickedAmount ?? 0 } });
  }
  return [...newest.values()].map(({ told }) => told);
}
