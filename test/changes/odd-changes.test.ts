import { expect, test, vi } from "vitest";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

const order = {
  ...{ number: "W-1", dueDate: "2030-01-31" },
  requests: [{ itemNumber: "A-1", requestedAmount: 5, requestExternalIdentifier: "10" }],
};

async function openFloor() {
  const { client, url } = await startAdapter();
  await client.push.workOrders(order);
  const amounts = async () =>
    (await client.listWorkOrders()).data?.map(({ requests }) => requests.map(({ requestedAmount }) => requestedAmount));
  await vi.waitFor(async () => expect(await amounts()).toEqual([[5]]), 60_000);
  const cancel = async (change: object): Promise<number> => {
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const body = JSON.stringify({ workOrderNumber: "W-1", ...change });
    return (await fetch(`${url}/inbound/cancellations`, { method: "POST", headers, body })).status;
  };
  return { amounts, cancel };
}

test("changes of orders, lines and items that nobody knows are taken and change nothing", async () => {
  const { amounts, cancel } = await openFloor();
  const changes = [
    { workOrderNumber: "?" },
    { requestExternalIdentifier: "?", requestedAmount: 1 },
    { itemNumber: "?" },
  ];
  for (const change of changes) expect(await cancel(change)).toBe(202);
  // Behind them in the lane of the order.
  expect(await cancel({ itemNumber: "A-1", requestedAmount: 4 })).toBe(202);
  await vi.waitFor(async () => expect(await amounts()).toEqual([[4]]), 60_000);
});

test.each([
  [2.5, [[3]]],
  [4, [[4]]],
  [9, [[9]]],
  [0, []],
])(
  "a change of %d on a line that waits gives it the whole amount, or takes it out",
  async (requestedAmount, listed) => {
    const { amounts, cancel } = await openFloor();
    expect(await cancel({ requestExternalIdentifier: "10", requestedAmount })).toBe(202);
    await vi.waitFor(async () => expect(await amounts()).toEqual(listed), 60_000);
  },
);

test.each([
  ["below nothing", { itemNumber: "A-1", requestedAmount: -1 }],
  ["beyond what a strict client can read", { itemNumber: "A-1", requestedAmount: 2 ** 31 }],
  ["that is no number", { itemNumber: "A-1", requestedAmount: "2" }],
  ["for the whole order", { requestedAmount: 2 }],
  ["of a lot that names no item", { lotNumber: "x" }],
])("an amount %s is refused, and nothing of it is stored", async (_, change) => {
  const { amounts, cancel } = await openFloor();
  expect(await cancel(change)).toBe(400);
  expect(await amounts()).toEqual([[5]]);
});
