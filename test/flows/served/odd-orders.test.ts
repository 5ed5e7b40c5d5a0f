import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";
import { receiver } from "../../support/receivers/receiver.ts";

const order = (number: string) =>
  JSON.stringify({ number, dueDate: "2030-01-31", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] });
const odd = order("W-2").replace('"requestedAmount":2', '"requestedAmount":2,"requestedAmount":20');

const list = { path: "/orders", records: "data" };
const poll = { topic: "workOrders", everySeconds: 1, ...list };

async function adapterOf(given: object, serve: object) {
  let orders = [order("W-1"), odd, order("W-3")];
  const erp = await receiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(`{"data":[${orders.join(",")}]}`),
  );
  const connectors = { erp: { type: "http", baseUrl: new URL(erp.url).origin, ...given } };
  const adapter = await startAdapter({ config: { connectors, serve } });
  const quarantined = async () => {
    const answer = await fetch(`${adapter.url}/admin/quarantine`, { headers: { "x-api-key": apiKey } });
    return ((await answer.json()) as { records: readonly { number: string; fix: string }[] }).records;
  };
  const numbers = async () => {
    const { data } = await adapter.client.listWorkOrders();
    return (data as readonly { number: string }[] | null)?.map(({ number }) => number).sort();
  };
  const mend = () => {
    orders = ["W-1", "W-2", "W-3"].map(order);
  };
  return { adapter, quarantined, numbers, mend };
}

const oddRecord = {
  number: "W-2",
  fix: expect.stringContaining("requests[0].requestedAmount is given twice, so it can be read in two ways"),
};

test("of a list with one odd order the others are served, the odd one waits in quarantine until it is mended", async () => {
  const { adapter, quarantined, numbers, mend } = await adapterOf(
    { operations: { listWorkOrders: list } },
    { workOrders: "erp" },
  );
  const { isResultSuccess, externalMessage } = await adapter.client.listWorkOrders();
  expect([isResultSuccess, externalMessage]).toEqual([true, expect.stringMatching(/1 .*W-2/)]);
  expect(await numbers()).toEqual(["W-1", "W-3"]);
  expect(await quarantined()).toMatchObject([oddRecord]);
  mend();
  expect(await numbers()).toEqual(["W-1", "W-2", "W-3"]);
  expect(await quarantined()).toEqual([]);
});

test("a poll takes in the others, and the odd order as soon as it is mended", async () => {
  const { quarantined, numbers, mend } = await adapterOf({ poll: [poll] }, {});
  await expect.poll(numbers, { timeout: 20_000 }).toEqual(["W-1", "W-3"]);
  expect(await quarantined()).toMatchObject([oddRecord]);
  mend();
  await expect.poll(numbers, { timeout: 20_000 }).toEqual(["W-1", "W-2", "W-3"]);
  expect(await quarantined()).toEqual([]);
});
