import { expect, test, vi } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { envelopeOf } from "../../support/adapter/envelope-of.ts";
import { receiver } from "../../support/receivers/receiver.ts";

test.each([
  ["more digits than a number keeps", "1.0000000000000001", 1],
  ["the digits of a .NET decimal", "0.3333333333333333333333333333", 1 / 3],
  ["less than any number", "1e-400", 0],
])("an amount of an event with %s is accepted and counts as the nearest number", async (_what, written, counted) => {
  const { url: erp, requests } = await receiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  const operations = {
    confirmPutWallPlacement: { path: "/placed", map: { order: "workOrderNumber", qty: "completedAmount" } },
  };
  const { url } = await startAdapter({
    config: {
      connectors: { erp: { type: "http", baseUrl: new URL(erp).origin, operations } },
      events: { by: { confirmPutWallPlacement: "erp" } },
    },
  });
  const post = (path: string, body: string) =>
    fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
  const placed = `{"workOrderNumber":"W-1","itemNumber":"A","completedAmount":${written},"confirmedLocationName":"L"}`;
  expect(await envelopeOf(await post("/WorkOrders/ForPutWall", placed))).toMatchObject({ isResultSuccess: true });
  await vi.waitFor(() => expect(requests).toHaveLength(1), { timeout: 20_000 });
  expect(JSON.parse(requests[0]?.body.toString() ?? "")).toEqual({ order: "W-1", qty: counted });
  const report = '{"workOrdersNumbers":["W-1"],"storageId":"S","remainingRequests":{}}';
  const { data } = await envelopeOf(await post("/WorkOrders/GetReport", report));
  // A report has six decimals.
  expect(data).toMatchObject({
    placements: [{ itemNumber: "A", locationName: "L", amount: expect.closeTo(counted, 5) }],
  });
});
