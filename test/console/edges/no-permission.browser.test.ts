import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ShownConfig } from "../../../src/server/workshop/config-editor.ts";
import { apiKey } from "../../support/adapter/adapter.ts";
import { spawnAdapter } from "../../support/adapter/child-adapter.ts";
import { heldByFileModes } from "../../support/adapter/held-by-file-modes.ts";
import { newFolder, removeFolder } from "../../support/temporary-folder.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";

const first = "# ours\ntimeZone: Europe/Vienna # the site\n";
browserGroup("a folder of the configuration that the adapter's user may not write", (newTab) => {
  const folder = newFolder();
  const path = join(folder, "crossdock.yaml");
  let adapter: Awaited<ReturnType<typeof spawnAdapter>>;
  beforeAll(async () => {
    writeFileSync(path, first);
    mkdirSync(join(folder, "data"));
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    adapter = await spawnAdapter(folder, {}, heldByFileModes);
  });
  afterAll(async () => {
    await adapter?.end("SIGTERM");
    chmodSync(folder, 0o755);
    removeFolder(folder);
  });

  test("Connect shows the change to be copied, and nothing was written", async () => {
    const { url } = adapter;
    const { page, context: browser, trouble } = await newTab();
    await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signIn(page, url);
    await page.getByRole("link", { name: "Connect", exact: true }).click();
    await page.getByRole("link", { name: /Mock ERP/ }).click();
    await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/mock");
    await page.getByText(/^\+.*127\.0\.0\.1:9\/mock/).waitFor();
    await page.getByText("Crossdock may not write the file.").waitFor();
    expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await expectAccessible(page, "a file that may not be written");
    await page.getByRole("button", { name: "Copy the file" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toContain(first);
    expect(copied).toContain("http://127.0.0.1:9/mock");
    await page.getByRole("link", { name: "Configuration", exact: true }).click();
    await page.getByText("Crossdock may not write the file.").waitFor();
    expect(readFileSync(path, "utf8")).toBe(first);
    expect(readdirSync(folder).sort()).toEqual(["crossdock.yaml", "data"]);
    expect(trouble).toEqual([]);
  });

  test("the change is copied also where the page has no clipboard", async () => {
    const { url } = adapter;
    const { page, context: browser } = await newTab();
    await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.addInitScript(
      "globalThis.known = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', { value: undefined })",
    );
    await signIn(page, url);
    await page.goto(`${url}/console/connect/new?preset=odoo-json2`);
    await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/odoo");
    await page.locator(".code .added").first().waitFor();
    await page.getByRole("button", { name: "Copy the file" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("known.readText()")).toContain("http://127.0.0.1:9/odoo");
  });

  test("a changing request is refused with the same reason", async () => {
    const { url } = adapter;
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const shown = (await (await fetch(`${url}/admin/config`, { headers })).json()) as ShownConfig;
    expect(shown).toMatchObject({ readOnlyBecause: "no-permission" });
    const changes = [{ path: ["timeZone"], value: "Europe/Berlin" }];
    const body = JSON.stringify({ changes, version: shown.version, operator: "kim", reason: "a try" });
    const answer = await fetch(`${url}/admin/config/apply`, { method: "POST", headers, body });
    expect(answer.status).toBe(409);
    expect(readFileSync(path, "utf8")).toBe(first);
  });
});
