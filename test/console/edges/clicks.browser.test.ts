import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";
import { adapterOf } from "../setup/adapter-of.ts";

/** Clicks twice, as many people do. What was pressed may be switched off by then. */
const clickTwice = async (page: Page, name: string) => {
  const button = page.getByRole("button", { name, exact: true }).last();
  await button.dispatchEvent("click");
  await button.dispatchEvent("click");
};

/** Counts requests, each of which is answered late. */
async function slow(page: Page, path: string) {
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  await page.route(path, async (route) => {
    seen.push(route.request().url());
    await new Promise<void>((resolve) => waiting.push(resolve));
    await route.continue();
  });
  const answer = () => {
    for (const one of waiting.splice(0)) one();
  };
  return { seen, answer };
}

browserGroup("clicks whose answers are late or lost", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-1" })]);
  });
  afterAll(async () => stage.close());

  test("a double click applies a change once, and no refusal stands beside its success", async () => {
    const adapter = await adapterOf("connectors:\n  erp:\n    type: http\n    baseUrl: http://127.0.0.1:9/erp\n");
    try {
      const { page } = await newTab();
      await signIn(page, adapter.url);
      await page.goto(`${adapter.url}/console/connect/erp`);
      await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/new");
      await page.getByText(/^\+.*9\/new/).waitFor();
      await page.getByLabel("Reason").fill("the ERP has moved");
      const { seen, answer } = await slow(page, "**/admin/config/apply");
      await expect.poll(() => page.getByRole("button", { name: "Apply" }).isEnabled()).toBe(true);
      await clickTwice(page, "Apply");
      await expect.poll(() => seen.length).toBe(1);
      expect(await page.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
      answer();
      await page.getByText("The new configuration is in effect").waitFor();
      expect(seen).toHaveLength(1);
      expect(await page.getByText(/has changed meanwhile/).count()).toBe(0);
    } finally {
      await adapter.close();
    }
  });

  test("a double click downloads a support bundle once", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders/SO-1`);
    await page.getByRole("button", { name: "Support bundle" }).click();
    await page.getByLabel(/^Reason/).fill("for the vendor");
    const { seen, answer } = await slow(page, "**/bundle");
    const download = page.waitForEvent("download");
    await clickTwice(page, "Download");
    await expect.poll(() => seen.length).toBe(1);
    answer();
    await download;
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(seen).toHaveLength(1);
  });

  test("an error disappears when the same click works the next time", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries`);
    await page.route("**/admin/targets/erp/pause", (route) => route.abort());
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("alert").getByText("The adapter does not answer").waitFor();
    await page.unroute("**/admin/targets/erp/pause");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
  });

  test("whoever signs out without an answer of the adapter learns that the session goes on", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.route("**/admin/session", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are still signed in").waitFor();
    await page.unroute("**/admin/session");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
  });

  test("an overview that cannot be loaded says it once", async () => {
    const { page } = await newTab();
    await page.route("**/admin/overview", (route) => route.fulfill({ status: 500, body: "{}" }));
    await signIn(page, stage.url);
    await page.getByRole("alert").getByText("HTTP 500").waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
  });
});
