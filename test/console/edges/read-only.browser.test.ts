import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { start } from "../../../src/app/start.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { apiKey } from "../../support/adapter/adapter.ts";
import { newFolder, removeFolder } from "../../support/temporary-folder.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";

const first = "# ours\ntimeZone: Europe/Vienna # the site\n";

browserGroup("a configuration file that the console may not write", (newTab) => {
  const folder = newFolder();
  const path = join(folder, "crossdock.yaml");
  const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const load = (text?: string) => loadConfig({ env, cwd: folder, text });
  let adapter: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    writeFileSync(path, first);
    const { config, settings } = await load();
    adapter = await start({
      config,
      settings: { ...settings, apiKey },
      configuration: { path, source: { env, cwd: folder } },
    });
  });
  // A worktree: `.git` is a file that names the folder with the index.
  beforeEach(() => {
    mkdirSync(join(folder, "elsewhere"), { recursive: true });
    writeFileSync(join(folder, ".git"), "gitdir: elsewhere\n");
    writeFileSync(join(folder, "elsewhere", "index"), "");
  });
  afterAll(async () => {
    await adapter.close();
    removeFolder(folder);
  });
  const keepInGit = () => writeFileSync(join(folder, "elsewhere", "index"), "DIRC\0\0\0\x02crossdock.yaml\0");
  const connect = async (page: Page) => {
    await page.goto(`${adapter.url}/console/connect/new?preset=odoo-json2`);
    await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/odoo");
    await page.locator(".code .added").first().waitFor();
  };

  test("a file in git: the change is shown to be copied, with a reference in place of the secret", async () => {
    keepInGit();
    const { page, context, trouble } = await newTab();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signIn(page, adapter.url);
    await connect(page);
    await page.getByText("The file is kept in git.").waitFor();
    await page.getByText("Write where it is kept").waitFor();
    expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await expectAccessible(page, "a file kept in git");
    await page.getByRole("button", { name: "Copy the file" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toContain("# ours\ntimeZone: Europe/Vienna # the site\n");
    expect(copied).toContain("http://127.0.0.1:9/odoo");
    expect(copied).toMatch(/token: "?\$\{\w+\}/);
    expect(readFileSync(path, "utf8")).toBe(first);
    await page.getByRole("link", { name: "Configuration", exact: true }).click();
    await page.getByText("The file is kept in git.").waitFor();
    expect(await page.getByRole("button", { name: "Undo the last change" }).count()).toBe(0);
    expect(existsSync(join(folder, "secrets"))).toBe(false);
    expect(trouble).toEqual([]);
  });

  test("a file in git: a mapping that cannot be read says so, and the page goes on when it is corrected", async () => {
    keepInGit();
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new?type=http`);
    await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/erp");
    const map = page.getByRole("group", { name: "listWorkOrders" }).getByLabel("map", { exact: true });
    await map.fill("number: {");
    await page.getByRole("alert").first().waitFor();
    await expectAccessible(page, "a mapping that cannot be read");
    await map.fill("number: { from: no }");
    await page.getByText(/^\+.*from: no/).waitFor();
    await page.getByRole("button", { name: "Copy the file" }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("a file that cannot be replaced: nothing is changed, and the change can be copied", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    // A folder of this name stands in for a file that is mounted by itself: both make the last step fail.
    mkdirSync(`${path}.new`, { recursive: true });
    await page.goto(`${adapter.url}/console/connect/new?type=webhook`);
    await page.getByLabel("url", { exact: true }).fill("http://127.0.0.1:9/hook");
    await page.getByText(/^\+.*127\.0\.0\.1:9\/hook/).waitFor();
    await page.getByLabel("Reason").fill("a try");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("alert").getByText("may not write its configuration file").waitFor();
    await page.getByRole("button", { name: "Copy the file" }).waitFor();
    expect(readFileSync(path, "utf8")).toBe(first);
    await page.getByRole("link", { name: "Configuration", exact: true }).click();
    await page.getByText("timeZone", { exact: true }).waitFor();
    expect(await page.getByText("a try").count()).toBe(0);
  });
});
