import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";

const order = (number: string, lines: number) => ({
  ...{ number, dueDate: "2099-03-01T08:00:00Z" },
  requests: Array.from({ length: lines }, (_, nth) => ({ itemNumber: `I-${nth}`, requestedAmount: 1 })),
});

test("a short query about long orders is answered by another thread, with the same answer", {
  timeout: 120_000,
}, async () => {
  const { client, url } = await startAdapter();
  const pushed = await fetch(`${url}/inbound/work-orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify([order("LONG", 1_500), order("SHORT", 2)]),
  });
  expect(pushed.status).toBe(202);
  const step = (number: string) =>
    client.confirmPutWallPlacement({ workOrderNumber: number, itemNumber: "I-1", completedAmount: 1 });
  expect(await step("LONG")).toMatchObject({ isResultSuccess: true });
  expect(await step("SHORT")).toMatchObject({ isResultSuccess: true });
  const report = async (...workOrdersNumbers: string[]) =>
    await client.getReport({ storageId: "Main", workOrdersNumbers, remainingRequests: { "I-2": 1 } });
  const short = await report("SHORT");
  expect(short).toMatchObject({ isResultSuccess: true, data: { missingQuantities: { "I-2": 1 } } });
  expect(await report("LONG")).toEqual(short);
});
