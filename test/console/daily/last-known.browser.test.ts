import { expect, test } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { receiver } from "../../support/receivers/receiver.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";

const lines = [
  { item: "A-1", qty: 6 },
  { item: "B-2", qty: 3 },
];

browserGroup("an order that the ERP holds", (newTab) => {
  test("shows what the ERP said last beside what the floor has reported, also while the ERP is silent", async () => {
    let orders = [{ no: "4711", due: "2030-01-31", lines }];
    let isUp = true;
    const erp = await receiver((response, { path }) => {
      const found = orders.find(({ no }) => path.endsWith(`/${no}`));
      if (!isUp) response.writeHead(503).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found ?? orders));
    });
    const each = { each: "lines", map: { itemNumber: "item", requestedAmount: "qty" } };
    const map = { number: "no", dueDate: "due", requests: each };
    const { url, client } = await startAdapter({
      config: {
        connectors: {
          erp: {
            ...{ type: "http", baseUrl: new URL(erp.url).origin },
            operations: {
              listWorkOrders: { path: "/orders", map },
              findWorkOrderByCode: { path: "/orders/{code}", map },
              confirmPutWallPlacement: { path: "/placed", body: { amount: "{completedAmount}" } },
            },
          },
        },
        serve: { workOrders: "erp", codeLookup: "erp" },
        events: { to: "erp" },
      },
    });
    await client.listWorkOrders();
    await client.confirmPutWallPlacement({ workOrderNumber: "4711", itemNumber: "A-1", completedAmount: 2 });
    const { page, trouble } = await newTab();
    await signIn(page, url);
    const row = (item: string) => page.getByRole("row").filter({ hasText: item });
    const isComplete = async () => {
      await page.goto(`${url}/console/orders/4711`);
      await page.getByText(/^\* As erp said last:/).waitFor();
      expect(await row("A-1").getByRole("cell").allTextContents()).toEqual(["–", "6* pcs", "2", "4*", "0"]);
      expect(await row("B-2").getByRole("cell").allTextContents()).toEqual(["–", "3* pcs", "0", "3*", "0"]);
    };
    await isComplete();
    await expectAccessible(page, "an order with last known amounts");
    // The order is started and leaves the list of the ERP. What a scan has found is still known.
    await client.findWorkOrderByCode({ Code: "4711", StorageName: "North" });
    orders = [];
    await client.listWorkOrders();
    isUp = false;
    await expect.poll(async () => await page.reload().then(() => page.getByText("As erp said last").count())).toBe(1);
    await isComplete();
    await page.goto(`${url}/console/orders?q=4711`);
    await page.getByText(/^2 \/ 9\*$/).waitFor();
    await page.getByText("As the external system said last").waitFor();
    expect(trouble).toEqual([]);
  });
});
