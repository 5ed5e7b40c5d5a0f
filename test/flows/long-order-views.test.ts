import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { explainOrder } from "../../src/store/read-order-history.ts";
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

test("an order of many lines is explained in another thread, with the same result", async () => {
  const { url, folder } = await adapterWithLongOrder();
  const explain = async (number: string) => fetch(`${url}/admin/orders/${number}/explain`, { headers });
  const { explained, atOnceMs } = explainedHere(join(folder, "data/crossdock.db"));
  expect(explained?.lines).toHaveLength(lineCount);
  expect(await (await explain("LONG")).json()).toEqual(explained);
  expect((await explain("unknown")).status).toBe(404);
  for (const view of ["explain", "timeline"]) {
    const ask = async () => expect((await fetch(`${url}/admin/orders/LONG/${view}`, { headers })).status).toBe(200);
    const stallMs = await leastStall(ask, { below: atOnceMs / 2 });
    expect([view, stallMs < atOnceMs / 2]).toEqual([view, true]);
  }
});

/** How long explaining it here takes this thread. */
function explainedHere(file: string) {
  const database = openDatabase(file, { readOnly: true });
  const explain = explainOrder(database);
  explain("LONG");
  const startedMs = workedMs();
  const explained = explain("LONG");
  const atOnceMs = workedMs() - startedMs;
  database.close();
  return { explained, atOnceMs };
}
