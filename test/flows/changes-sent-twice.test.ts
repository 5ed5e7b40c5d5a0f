import { expect, test, vi } from "vitest";
import { WorkOrderStatus } from "../../src/contract/enums.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

const order = {
  ...{ number: "W-1", dueDate: "2030-01-31" },
  requests: [{ itemNumber: "A-1", requestedAmount: 5, requestExternalIdentifier: "10" }],
};

async function openFloor() {
  const { client, url } = await startAdapter();
  const receipts = async (): Promise<readonly { readonly topic: string }[]> => {
    const answer = await fetch(`${url}/admin/journal?state=delivered`, { headers: { "x-api-key": apiKey } });
    // The list of the journal, as documented.
    const { entries } = (await answer.json()) as { entries: { topic: string }[] };
    return entries.filter(({ topic }) => topic === "changeReceipt");
  };
  await client.push.workOrders(order);
  await vi.waitFor(async () => expect((await client.listWorkOrders()).data).toHaveLength(1), 60_000);
  return { client, receipts };
}

test("a change that its sender sends again, not having got the answer, is one change with one receipt", async () => {
  const { client, receipts } = await openFloor();
  await client.changeStatus({ number: "W-1", status: WorkOrderStatus.Completed });
  // The order has ended: the receipt goes out with the change, and lies behind it in the order's lane.
  const first = await client.push.cancellations({ workOrderNumber: "W-1" });
  await vi.waitFor(async () => expect(await receipts()).toHaveLength(1), 60_000);
  expect(await client.push.cancellations({ workOrderNumber: "W-1" })).toMatchObject({ ...first });
  expect(await receipts()).toHaveLength(1);
});

test("of two senders that change a line at once one has the last word, and only that one gets a receipt", async () => {
  const { client, receipts } = await openFloor();
  const word = (requestedAmount: number) =>
    client.push.cancellations({ workOrderNumber: "W-1", requestExternalIdentifier: "10", requestedAmount });
  await Promise.all([2, 3, 4, 2, 3].map(word));
  await client.push.cancellations({ workOrderNumber: "W-1", requestExternalIdentifier: "10", requestedAmount: 1 });
  await vi.waitFor(
    async () => expect((await client.listWorkOrders()).data?.[0]?.requests).toMatchObject([{ requestedAmount: 1 }]),
    60_000,
  );
  await client.changeStatus({ number: "W-1", status: WorkOrderStatus.Completed });
  await vi.waitFor(async () => expect(await receipts()).toHaveLength(1), 60_000);
});
