import { expect, test, vi } from "vitest";
import { WorkOrderStatus } from "../../src/contract/enums.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";

test("a receipt that the external system does not want holds up no event of its order", async () => {
  const erp = await receiver((response) => response.setHeader("content-type", "application/json").end("{}"));
  const connector = {
    ...{ type: "http", baseUrl: new URL(erp.url).origin },
    operations: { changeStatus: { path: "/status" }, confirmPutWallPlacement: { path: "/put" } },
  };
  const { client, url } = await startAdapter({ config: { connectors: { erp: connector }, events: { to: "erp" } } });
  const requests = [{ itemNumber: "A-1", requestedAmount: 2, requestExternalIdentifier: "10" }];
  await client.push.workOrders({ number: "W-1", dueDate: "2030-01-31", requests });
  await client.confirmPutWallPlacement({ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 });
  await client.push.cancellations({ workOrderNumber: "W-1", requestExternalIdentifier: "10" });
  // With the end of the order its change is final: the receipt goes out behind this event.
  await client.changeStatus({ number: "W-1", status: WorkOrderStatus.Completed });
  await client.confirmPutWallPlacement({ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1 });
  await vi.waitFor(() => expect(erp.requests.map(({ path }) => path)).toEqual(["/put", "/status", "/put"]), 60_000);

  // Nobody got it: it is not called delivered, and no attempt is made up for it.
  const get = async (path: string) =>
    (await (await fetch(`${url}/admin/journal${path}`, { headers: { "x-api-key": apiKey } })).json()) as {
      entries: { seq: number; topic: string; state: string; reason: string }[];
      attemptLog: unknown[];
    };
  const { entries } = await get("?state=not-sent");
  expect(entries).toMatchObject([{ topic: "changeReceipt", reason: "nothing described", target: "erp" }]);
  expect((await get(`/${entries[0]?.seq}`)).attemptLog).toEqual([]);
  expect((await get("?state=delivered")).entries.map(({ topic }) => topic)).not.toContain("changeReceipt");
});
