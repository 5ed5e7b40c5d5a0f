import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup } from "../browser.ts";
import { fillSignIn, signIn } from "../console-stage.ts";
import { adapterOf } from "./adapter-of.ts";

const config = { connectors: { new: { type: "http", baseUrl: "http://127.0.0.1:9/new" } }, timeZone: "Europe/Vienna" };
const file = `${JSON.stringify(config, null, 2)}\n`;

browserGroup("the page of a connection", (newTab) => {
  let adapter: Awaited<ReturnType<typeof adapterOf>>;
  beforeAll(async () => {
    adapter = await adapterOf(file);
  });
  afterAll(async () => adapter.close());

  test("says that there is no such connection, and leads to those there are", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/erp`);
    await page.getByText("no connection with this name").waitFor();
    expect(await page.getByLabel("Name of this connection").count()).toBe(0);
    await page.getByRole("main").getByRole("link", { name: "Connect" }).click();
    await page.getByRole("link", { name: "new", exact: true }).click();
    // One that is called "new" is not taken for one that is to be made.
    await page.getByRole("heading", { name: "new", level: 1 }).waitFor();
    expect(await page.getByLabel("baseUrl", { exact: true }).inputValue()).toBe("http://127.0.0.1:9/new");
  });

  test("changes a file in JSON only where something changes", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new`);
    await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/moved");
    await page.getByText(/^\+.*moved/).waitFor();
    expect(await page.locator("pre span.added").count()).toBe(1);
    expect(await page.locator("pre span.removed").count()).toBe(1);
    await page.getByLabel("Reason").fill("the ERP has moved");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The new configuration is in effect").waitFor();
    expect(readFileSync(adapter.path, "utf8")).toBe(file.replace("9/new", "9/moved"));
  });

  test("keeps a secret whose field is left before the page has been drawn anew", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new?preset=sap-business-one`);
    const secret = page.getByLabel(/password/i).first();
    await secret.focus();
    // In one turn of the page, so that nothing is drawn in between.
    await page.evaluate(`
      const field = document.activeElement;
      field.value = "a secret of ours";
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.blur();
    `);
    await page.getByText(/^\+.*file:secrets/).waitFor();
  });

  test("keeps a secret that was typed when the session had ended, as soon as somebody has signed in again", async () => {
    const { page, context } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new?preset=sap-business-one`);
    const secret = page.getByLabel(/password/i).first();
    await secret.waitFor();
    await context.clearCookies();
    await secret.fill("a secret of ours");
    await secret.blur();
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    await fillSignIn(page);
    await page.getByText(/^\+.*file:secrets/).waitFor();
  });
});
