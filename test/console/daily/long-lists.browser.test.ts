import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup, expectAccessible } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

browserGroup("lists that are longer than a page", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  const numbers = Array.from({ length: 130 }, (_, index) => `L-${String(index).padStart(3, "0")}`);
  beforeAll(async () => {
    stage = await openStage();
    for (const number of numbers) await stage.push([stage.order({ number })]);
  });
  afterAll(async () => stage.close());
  const listed = async (page: Page) => await page.locator("tbody th a").allTextContents();

  test("no order is lost between two pages while new ones arrive", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders`);
    await page.getByRole("link", { name: "L-129" }).waitFor();
    const more = ["N-1", "N-2", "N-3"];
    await stage.push(more.map((number) => stage.order({ number })));
    await page.getByRole("link", { name: "N-3" }).waitFor();
    const first = await listed(page);
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "L-000" }).waitFor();
    const all = [...first, ...(await listed(page))];
    expect(all.toSorted()).toEqual([...numbers, ...more].toSorted());
    await expectAccessible(page, "the second page of orders");
    // The page has an address of its own, and the way back is the browser's.
    await page.reload();
    await page.getByRole("link", { name: "L-000" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "N-3" }).waitFor();
    // Another search begins at its newest.
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "L-000" }).waitFor();
    await page.getByRole("button", { name: "Waiting", exact: true }).click();
    await page.getByRole("link", { name: "N-3" }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("a long order shows its first lines, so that what happened to it is not far below", async () => {
    const requests = Array.from({ length: 120 }, (_, index) => ({ itemNumber: `I-${index}`, requestedAmount: 1 }));
    await stage.push([stage.order({ number: "LONG", requests })]);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders/LONG`);
    await page.getByRole("button", { name: "Show 70 more lines" }).waitFor();
    const lines = page.getByRole("region", { name: "Lines" }).locator("tbody tr");
    expect(await lines.count()).toBe(50);
    await page.getByRole("button", { name: "Show 70 more lines" }).click();
    await page.getByText("I-119").waitFor();
    expect(await lines.count()).toBe(120);
    expect(trouble).toEqual([]);
  });

  test("a page that cannot be loaded says so, and is loaded when asked again", async () => {
    const { page, context } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders`);
    await page.getByRole("link", { name: "Older" }).waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("alert").waitFor();
    await context.setOffline(false);
    await page.evaluate('[...document.querySelectorAll("[role=alert] button")].at(-1)?.click()');
    await page.getByRole("link", { name: "L-000" }).waitFor();
  });

  test("the entries of a cause are listed page by page, and only those that the filter matches", async () => {
    stage.erp.isCross = true;
    for (let index = 0; index < 101; index++) await stage.place("L-000", 1);
    await stage.place("L-001", 1);
    // Those behind the first of an order wait for it: every one of them has the same cause.
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries?failure=behind`);
    await page.getByRole("button", { name: /^100 Waits behind another/ }).click();
    await page.locator("tbody tr").nth(99).waitFor();
    await page.goto(`${stage.url}/console/deliveries?failure=refused`);
    await page.getByRole("button", { name: /^2 Said no/ }).click();
    await page.locator("tbody tr").nth(1).waitFor();
    await page.getByText("More filters").click();
    await page.getByLabel("Order", { exact: true }).fill("L-001");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^1 Said no/ }).click();
    await page.getByRole("link", { name: "L-001" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
    stage.erp.isCross = false;
  });

  test.each([".", "..", "~."])("an order named %s can be opened", async (number) => {
    await stage.push([stage.order({ number, description: "odd name" })]);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders`);
    await page.getByRole("link", { name: number, exact: true }).click();
    await page.getByRole("heading", { name: `Order ${number}`, exact: true }).waitFor();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByRole("button", { name: "ERP", exact: true }).click();
    await page.reload();
    await page.getByRole("heading", { name: `Order ${number}`, exact: true }).waitFor();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    expect(trouble).toEqual([]);
  });
});
