import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup } from "../browser.ts";
import { fillSignIn, signIn } from "../console-stage.ts";
import { adapterOf } from "./adapter-of.ts";

const file = `connectors:
  erp:
    type: http
    baseUrl: http://127.0.0.1:9/erp
    checkPath: /ping
    operations:
      getItem: { path: "/items/{number}" }
`;

browserGroup("a connection that two people change", (newTab) => {
  let adapter: Awaited<ReturnType<typeof adapterOf>>;
  beforeAll(async () => {
    adapter = await adapterOf(file);
  });
  afterAll(async () => adapter.close());
  const apply = async (page: Awaited<ReturnType<typeof newTab>>["page"], reason: string) => {
    await page.getByLabel("Reason").fill(reason);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The new configuration is in effect").waitFor();
  };

  test("keeps the change of the other: whoever applies a second one is not offered to take the first one back", async () => {
    const { page: first, context } = await newTab();
    await signIn(first, adapter.url);
    await first.goto(`${adapter.url}/console/connect/erp`);
    const second = await context.newPage();
    await second.goto(`${adapter.url}/console/connect/erp`);
    await second.getByLabel("checkPath", { exact: true }).waitFor();
    await first.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/new");
    await first.getByText(/^\+.*9\/new/).waitFor();
    await apply(first, "the ERP has moved");
    await second.getByLabel("checkPath", { exact: true }).fill("/health");
    await second.getByText(/^\+.*health/).waitFor();
    await apply(second, "another path");
    expect(readFileSync(adapter.path, "utf8")).toBe(file.replace("9/erp", "9/new").replace("/ping", "/health"));
    await expect.poll(() => second.getByLabel("baseUrl", { exact: true }).inputValue()).toBe("http://127.0.0.1:9/new");
    await second.getByText("Nothing changes.").waitFor();
  });

  test("what was typed into the form of an operation is still there after a new sign-in", async () => {
    const { page, context } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/erp`);
    const path = page.getByRole("group", { name: "getItem" }).getByLabel("path", { exact: true });
    await path.waitFor();
    await context.clearCookies();
    await path.fill("/articles/{number}");
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    await fillSignIn(page);
    await page.getByText(/^\+.*articles/).waitFor();
    expect(await path.inputValue()).toBe("/articles/{number}");
  });
});
