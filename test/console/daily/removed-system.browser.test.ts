import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../../src/contract/derive/client.ts";
import { apiKey } from "../../support/adapter/adapter.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";
import { adapterOf } from "../setup/adapter-of.ts";

// Nobody answers at port 9.
const file = `connectors:
  erp:
    type: http
    baseUrl: http://127.0.0.1:9
    operations:
      confirmPutWallPlacement: { path: /placed }
events: { to: erp }
`;

browserGroup("a system that gets nothing any more", (newTab) => {
  let adapter: Awaited<ReturnType<typeof adapterOf>>;
  beforeAll(async () => {
    adapter = await adapterOf(file);
    // What was never tried must not be left out either.
    await fetch(`${adapter.url}/admin/targets/erp/pause`, {
      ...{ method: "POST", body: JSON.stringify({ operator: "Kim" }) },
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
    });
    const client = createClient({ baseUrl: adapter.url, apiKey });
    for (const workOrderNumber of ["W-1", "W-2"]) {
      await client.confirmPutWallPlacement({ workOrderNumber, itemNumber: "A-1", completedAmount: 1 });
    }
  });
  afterAll(async () => adapter.close());

  test("is not called paused, is not offered to be resumed, and disappears when nothing is left for it", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    const systems = page.getByRole("list", { name: "Connected systems" });
    await page.goto(`${adapter.url}/console/deliveries`);
    await systems.getByText("2 waiting").waitFor();
    await systems.getByRole("button", { name: "Resume" }).waitFor();
    await page.goto(`${adapter.url}/console/connect/erp`);
    await page.getByLabel("Send it every pick").uncheck();
    await page.getByLabel("Reason").fill("events are booked elsewhere");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The new configuration is in effect").waitFor();

    await page.goto(`${adapter.url}/console/deliveries`);
    await systems.getByText("gets nothing any more").waitFor();
    await systems.getByText("Connect it again, or skip what waits").waitFor();
    expect(await systems.getByRole("button").count()).toBe(0);
    await expectAccessible(page, "a system that gets nothing any more");
    await page.goto(`${adapter.url}/console/wall`);
    await page.getByText("gets nothing any more").waitFor();
    await page.goto(`${adapter.url}/console/deliveries`);
    await page.locator(".group").getByRole("button", { name: "Skip" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("booked by hand");
    await dialog.getByRole("button", { name: "Skip 2" }).click();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("No system gets deliveries yet").waitFor();
    // It still answers queries, as far as anybody knows.
    const saysSo = async () => {
      await page.goto(`${adapter.url}/console/`);
      await page.getByRole("heading", { name: "erp" }).waitFor();
      return await page.getByText(/gets nothing any more|paused/).count();
    };
    // The adapter counts what is left every few seconds.
    await expect.poll(saysSo, { timeout: 60_000 }).toBe(0);
    expect(trouble).toEqual([]);
  });
});
