import { join } from "node:path";
import { expect, test } from "vitest";
import { openStoredJournal } from "../../src/app/stored-journal.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { workOrder } from "../support/floor/embedded-store.ts";
import { line } from "../support/floor/floor.ts";
import { leastStall, workedMs } from "../support/longest-stall.ts";

const lineCount = 3_000;
const headers = { "x-api-key": apiKey, "content-type": "application/json" };

/** An order of many lines that the external system has changed. */
async function adapterWithLongOrder() {
  const adapter = await startAdapter();
  const push = async (amount: number) => {
    const requests = Array.from({ length: lineCount }, (_, index) =>
      line(`I-${index}`, index === 0 ? amount : 3, { requestExternalIdentifier: `L-${index}` }),
    );
    const body = JSON.stringify([workOrder({ number: "LONG", requests })]);
    expect((await fetch(`${adapter.url}/inbound/work-orders`, { method: "POST", headers, body })).status).toBe(202);
  };
  await push(5);
  const placed = { workOrderNumber: "LONG", itemNumber: "I-1", completedAmount: 1 };
  const event = { method: "POST", headers, body: JSON.stringify(placed) };
  expect(await (await fetch(`${adapter.url}/WorkOrders/ForPutWall`, event)).json()).toMatchObject({ result: 1 });
  await push(4);
  return adapter;
}

const views = ["", "/explain", "/explain?format=text", "/timeline", "/timeline?format=text"] as const;

test("an order of many lines is shown by another thread, with the same result", async () => {
  const { url, folder } = await adapterWithLongOrder();
  const ask = async (view: string, number = "LONG") => fetch(`${url}/admin/orders/${number}${view}`, { headers });
  const { shown, explained, atOnceMs } = await readHere(join(folder, "data"));
  expect(explained?.lines).toHaveLength(lineCount);
  expect(await (await ask("/explain")).json()).toEqual(explained);
  expect(await (await ask("")).json()).toEqual(shown);
  for (const view of views) expect((await ask(view, "unknown")).status).toBe(404);
  for (const view of views) {
    const stallMs = await leastStall(
      async () => {
        const answer = await ask(view);
        for await (const _piece of answer.body ?? []);
        expect(answer.status).toBe(200);
      },
      { below: atOnceMs / 2 },
    );
    expect([view, stallMs < atOnceMs / 2]).toEqual([view, true]);
  }
});

/** What is shown of the order, and how long explaining it here takes this thread. */
async function readHere(dataFolder: string) {
  const journal = openStoredJournal(dataFolder);
  await journal?.explain("LONG");
  const startedMs = workedMs();
  const explained = await journal?.explain("LONG");
  const atOnceMs = workedMs() - startedMs;
  const shown = await journal?.order("LONG");
  journal?.close();
  return { shown, explained, atOnceMs };
}
