import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { apiKey } from "../../support/adapter/adapter.ts";
import { browserGroup } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

/** More than one request may change, and more than one page shows. */
const many = 1_050;

browserGroup("everything that a filter matches, in a browser", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    stage.erp.isCross = true;
    const numbers = Array.from({ length: many }, (_, index) => `BULK-${index}`);
    while (numbers.length > 0) await Promise.all(numbers.splice(0, 50).map((number) => stage.place(number, 1)));
    await vi.waitFor(async () => expect(await stage.counts()).toMatchObject({ dead: many, accepted: 0 }), 120_000);
  }, 240_000);
  afterAll(async () => stage.close());

  test("more deliveries than one request may change are all retried by one click, each once", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: "Deliveries" }).click();
    const shown = many.toLocaleString("en");
    await page.getByRole("button", { name: new RegExp(`^${shown} Said no`) }).waitFor();
    await page.getByRole("button", { name: "Retry all" }).click();
    await page.getByText(`This affects ${shown} `).waitFor();
    await page.getByLabel(/^Reason/).fill("the ERP was corrected");
    // Those that are retried first fail again before the last ones have their turn.
    await page.getByRole("button", { name: `Retry ${shown}` }).click();
    await page.getByText(`${shown} done, 0 not possible`).waitFor();
    const { entries } = (await stage.get("journal?limit=500")) as { entries: { seq: number }[] };
    const oldest = (await stage.get("journal/1")) as { audit: unknown[] };
    const newest = (await stage.get(`journal/${entries[0]?.seq}`)) as { audit: unknown[] };
    expect([oldest.audit.length, newest.audit.length]).toEqual([1, 1]);
    expect(trouble).toEqual([]);
  });

  test("what a session that ended in the middle has left is done after signing in again, and nothing twice", async () => {
    await vi.waitFor(async () => expect(await stage.counts()).toMatchObject({ dead: many, accepted: 0 }), 120_000);
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries`);
    await page.getByRole("button", { name: "Skip all" }).click();
    const shown = many.toLocaleString("en");
    await page.getByText(`This affects ${shown} `).waitFor();
    await page.getByLabel(/^Reason/).fill("booked by hand");
    let parts = 0;
    await page.route("**/admin/journal/bulk", async (route) => {
      parts++;
      if (parts === 2) await route.fulfill({ status: 401, json: {} });
      else await route.continue();
    });
    await page.getByRole("button", { name: `Skip ${shown}` }).click();
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    await page.getByLabel("API key").fill(apiKey);
    await page.getByLabel("Your name").fill("Kim");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor({ state: "detached" });
    await page.getByText(`500 of ${shown}`).waitFor();
    await page.getByRole("button", { name: `Skip ${shown}` }).click();
    await page.getByText(`${shown} done, 0 not possible`).waitFor();
    expect(await stage.counts()).toMatchObject({ dead: 0, discarded: many });
  });
});
