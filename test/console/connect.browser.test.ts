import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import type { FloorState } from "../../src/server/workshop/floor-control.ts";
import { noErpFaults } from "../../src/tools/mock-erp/faults.ts";
import { type MockErp, startMockErp } from "../../src/tools/mock-erp/start-mock-erp.ts";
import { apiKey } from "../support/adapter/adapter.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";
import { browserGroup, expectAccessible, leavingPage, picture } from "./browser.ts";
import { fillSignIn, signIn, signInByForm } from "./console-stage.ts";

/** An adapter started in an empty folder, and an ERP beside it that it does not know yet. */
async function emptyAdapter() {
  const folder = newFolder();
  const path = join(folder, "crossdock.yaml");
  const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const load = (text?: string) => loadConfig({ env, cwd: folder, text });
  const { config, settings } = await load();
  const program = resolve(import.meta.dirname, "../../bin/crossdock.js");
  const running = await start({
    ...{ config, settings: { ...settings, apiKey }, configuration: { path, source: { env, cwd: folder } }, program },
  });
  return { url: running.url, path, close: () => running.close().then(() => removeFolder(folder)) };
}

browserGroup("connecting and trying, in a browser", (newTab) => {
  let adapter: Awaited<ReturnType<typeof emptyAdapter>>;
  let erp: MockErp;
  beforeAll(async () => {
    adapter = await emptyAdapter();
    erp = await startMockErp({
      ...{ seed: 1, orders: 5, items: 5, host: "127.0.0.1", port: 0, faults: noErpFaults, token: null },
      ...{ isErrorInBody: false, database: null, folder: null, fileFormat: "json", given: null, everyMs: 500 },
      ...{ timers: systemTimers, now: () => Date.now(), onTrouble: () => {} },
    });
  });
  afterAll(async () => {
    await adapter.close();
    await erp.close();
  });
  const written = () => (existsSync(adapter.path) ? readFileSync(adapter.path, "utf8") : "");
  const open = async (page: Page, section: string) => {
    await page.getByRole("link", { name: section, exact: true }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
  };
  /** Drops a file with lines of one order on the import desk. */
  const dropFile = async (page: Page, lines: readonly string[]) => {
    await open(page, "Files");
    const rows = ["Order;Due date;Item;Quantity", ...lines.map((line) => `4711;2030-01-31;${line}`), ""];
    const file = { name: "o.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
    await page.getByLabel("Drop a CSV or JSON file here").setInputFiles(file);
  };
  const correct = async (page: Page, cell: string, text: string) => {
    await page.getByLabel(cell).fill(text);
    await page.getByLabel(cell).press("Tab");
  };

  test("a new user connects an ERP from an empty configuration by what the page says, and can undo it", async () => {
    const { page, trouble } = await newTab();
    await signInByForm(page, adapter.url);
    await open(page, "Connect");
    await page.getByText("Nothing is connected yet").waitFor();
    await expectAccessible(page, "connect");
    await picture(page, "console-connect");
    await page.getByRole("link", { name: "Mock ERP" }).click();
    await page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/api");
    await page.getByText("This does not work yet.").waitFor();
    await expectAccessible(page, "a connection that does not work");
    await page.getByLabel("baseUrl", { exact: true }).fill(`${erp.url}/api`);
    await page.getByText("The system answers.").waitFor();
    await page.getByText("Fits the contract").first().waitFor();
    await page.getByText("What the system would get").click();
    await page.getByRole("heading", { name: "confirmStep" }).waitFor();
    await expectAccessible(page, "a connection that works");
    await picture(page, "console-connection");
    expect(existsSync(adapter.path)).toBe(false);
    await page.getByLabel("Reason").fill("our first ERP");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The new configuration is in effect").waitFor();
    expect(readFileSync(adapter.path, "utf8")).toContain("preset: mock-erp");
    const listed = await (await fetch(`${adapter.url}/WorkOrders`)).json();
    expect(listed).toMatchObject({ data: { length: 5 } });
    await open(page, "Configuration");
    await page.getByText("our first ERP").waitFor();
    await expectAccessible(page, "configuration");
    await picture(page, "console-settings");
    await page.getByLabel("Reason").fill("a mistake");
    await page.getByRole("button", { name: "Undo the last change" }).click();
    await expect.poll(() => readFileSync(adapter.path, "utf8")).toBe("");
    expect(trouble).toEqual([]);
  });

  test("a change that was just applied is undone by one click, and by nobody after another change", async () => {
    const { page, context, trouble } = await newTab();
    await signIn(page, adapter.url);
    const before = written();
    await page.goto(`${adapter.url}/console/connect/new?preset=mock-erp`);
    await page.getByLabel("baseUrl", { exact: true }).fill(`${erp.url}/api`);
    await page.getByText("The system answers.").waitFor();
    await page.getByLabel("Reason").fill("a try");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The new configuration is in effect").waitFor();
    expect(written()).not.toBe(before);
    await expectAccessible(page, "a change that was just applied");
    const shared = await context.newPage();
    await shared.goto(page.url());
    await shared.getByRole("button", { name: "Undo the last change" }).waitFor();
    await page.getByRole("button", { name: "Undo the last change" }).click();
    await page.getByText("The change was undone").waitFor();
    expect(written()).toBe(before);
    await page.getByText("Nothing is connected yet").waitFor();
    await expectAccessible(page, "a change that was undone");
    // The file is another one now: the same click must not bring back what was undone.
    await shared.getByRole("button", { name: "Undo the last change" }).click();
    await shared.getByRole("alert").getByText("has changed meanwhile").waitFor();
    expect(written()).toBe(before);
    await shared.reload();
    await shared.getByText("no connection with this name").waitFor();
    expect(await shared.getByRole("button", { name: "Undo the last change" }).count()).toBe(0);
    expect(trouble).toEqual([]);
  });

  test("what was typed into a connection survives a reload, and no secret is kept by the browser", async () => {
    const { page: first, context, trouble } = await newTab();
    await signIn(first, adapter.url);
    const { page } = await leavingPage(context);
    await page.goto(`${adapter.url}/console/connect/new?preset=business-central`);
    const address = page.getByLabel("baseUrl", { exact: true });
    const name = page.getByLabel("Name of this connection", { exact: true });
    const started = await address.inputValue();
    // The name changes while the adapter still stores the secret.
    await page.locator("input[type=password]").first().fill("hunter2-hunter2");
    await address.fill("http://127.0.0.1:9/bc");
    await name.fill("office");
    await page
      .getByPlaceholder(/^(file:|\$\{)/)
      .first()
      .waitFor();
    expect([await address.inputValue(), await name.inputValue()]).toEqual(["http://127.0.0.1:9/bc", "office"]);
    await page.reload();
    await page.getByText(/is here again/).waitFor();
    expect([await address.inputValue(), await name.inputValue()]).toEqual(["http://127.0.0.1:9/bc", "office"]);
    await page
      .getByPlaceholder(/^(file:|\$\{)/)
      .first()
      .waitFor();
    const kept = await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })");
    expect(kept).toContain("127.0.0.1:9/bc");
    expect(kept).not.toContain("hunter2");
    await expectAccessible(page, "a connection that was typed before");
    await page.getByRole("button", { name: "Start over" }).click();
    expect([await address.inputValue(), await name.inputValue()]).toEqual([started, "erp"]);
    expect(await page.evaluate("Object.keys(sessionStorage).filter((one) => one.startsWith('draft ')).length")).toBe(0);
    expect(trouble).toEqual([]);
  });

  test("a wrong cell of a file is shown, corrected on the page, and the file is then right", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    await open(page, "Files");
    const buffer = Buffer.from("Order;Due date;Item;Quantity\n4711;2030-01-31;A-1;many\n4711;2030-01-31;A-2;3\n");
    await page
      .getByLabel("Drop a CSV or JSON file here")
      .setInputFiles({ name: "o.csv", mimeType: "text/csv", buffer });
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    await expectAccessible(page, "a file with a problem");
    await picture(page, "console-import");
    const cell = page.getByLabel("Quantity 2");
    expect(await cell.getAttribute("aria-invalid")).toBe("true");
    await cell.fill("2");
    await cell.press("Tab");
    await page.getByText("1 record would be imported.").waitFor();
    // Without a problem all rows are in sight, so that what was typed can be read again.
    expect(await page.getByLabel("Quantity 2").inputValue()).toBe("2");
    expect(await page.getByLabel("Quantity 3").inputValue()).toBe("3");
    expect(trouble).toEqual([]);
  });

  test("a cell that was corrected after the end of the session is read when somebody has signed in again", async () => {
    const { page, context } = await newTab();
    await signIn(page, adapter.url);
    await dropFile(page, ["A-1;many"]);
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    // The session ends while the corrected file is on its way.
    let isRefused = false;
    await page.route("**/admin/files/preview*", async (route) => {
      if (isRefused) return await route.continue();
      isRefused = true;
      await context.clearCookies();
      await route.fulfill({ status: 401 });
    });
    await correct(page, "Quantity 2", "2");
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    await fillSignIn(page);
    await page.getByText("1 record would be imported.").waitFor();
    expect(await page.getByLabel("Quantity 2").inputValue()).toBe("2");
  });

  test("a cell is read later, too, if the page notices the end of the session before the corrected file is answered", async () => {
    const { page, context } = await newTab();
    await signIn(page, adapter.url);
    await dropFile(page, ["A-1;many"]);
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    let release = () => {};
    const isSignedIn = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isRefused = false;
    await page.route("**/admin/files/preview*", async (route) => {
      if (isRefused) return await route.continue();
      isRefused = true;
      await isSignedIn;
      await route.fulfill({ status: 401 });
    });
    await correct(page, "Quantity 2", "2");
    await context.clearCookies();
    // As after a sign-in in another tab: the page asks for its session.
    await page.evaluate("new BroadcastChannel('crossdock sessions').postMessage('signed in')");
    const ended = page.getByRole("heading", { name: /Your session has ended/ });
    await ended.waitFor();
    await fillSignIn(page);
    await ended.waitFor({ state: "detached" });
    release();
    await page.getByText("1 record would be imported.").waitFor();
    expect(await page.getByLabel("Quantity 2").inputValue()).toBe("2");
  });

  test("two cells that are corrected one right after the other are both in the file", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    await dropFile(page, ["A-1;many", "A-2;few"]);
    await page.getByRole("heading", { name: "2 problems" }).waitFor();
    // The answer to the first correction comes after the second one.
    let answered = () => {};
    const both = new Promise<void>((resolve) => {
      answered = resolve;
    });
    await page.route("**/admin/files/preview*", async (route) => {
      await both;
      await route.continue().catch(() => {});
    });
    await correct(page, "Quantity 2", "2");
    await correct(page, "Quantity 3", "3");
    answered();
    await page.getByText("1 record would be imported.").waitFor();
    expect(await page.getByLabel("Quantity 2").inputValue()).toBe("2");
    expect(await page.getByLabel("Quantity 3").inputValue()).toBe("3");
    expect(trouble).toEqual([]);
  });

  test("a simulated floor is watched over a link on which every answer takes longer than the pause between looks", async () => {
    const { page, context, trouble } = await newTab();
    await signIn(page, adapter.url);
    await open(page, "Try it");
    await page.getByLabel("Orders", { exact: true }).fill("3");
    await page.getByLabel("Operators").fill("2");
    const link = await context.newCDPSession(page);
    const slow = { offline: false, latency: 1_500, downloadThroughput: -1, uploadThroughput: -1 };
    await link.send("Network.emulateNetworkConditions", slow);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Orders worked").waitFor();
    expect(trouble).toEqual([]);
  });

  test("a simulated floor is started, watched and stopped", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    // At the pace of people: a run at full speed may end by itself before it is stopped, and leaves its orders to the
    // next one.
    await page.route("**/admin/floor/simulate", (route) =>
      route.continue({ postData: JSON.stringify({ ...Object(route.request().postDataJSON()), speed: 1 }) }),
    );
    await open(page, "Try it");
    await page.getByLabel("Orders", { exact: true }).fill("20");
    await page.getByLabel("Operators").fill("2");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("running", { exact: true }).waitFor();
    await expectAccessible(page, "a running simulation");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("stopped", { exact: true }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("the result of a simulated floor is shown in figures, and its output below", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    await open(page, "Try it");
    await page.getByLabel("Orders", { exact: true }).fill("3");
    await page.getByLabel("Operators").fill("2");
    const over: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().endsWith("/admin/floor")) return;
      // The page may leave before it has the whole answer.
      const { run }: Pick<FloorState, "run"> = await response.json().catch(() => ({ run: null }));
      if (run !== null && run.report !== null) over.push(run.startedAt);
    });
    const answer = page.waitForResponse("**/admin/floor/simulate");
    await page.getByRole("button", { name: "Start" }).click();
    const { startedAt } = await (await answer).json();
    // Not the result of the run before, which is shown until then.
    await expect.poll(() => over).toContain(startedAt);
    await page.getByText("running", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("Orders worked").waitFor();
    expect(await page.locator("dd").first().textContent()).toMatch(/^\d[\d,]*$/);
    await expectAccessible(page, "the result of a simulation");
    await page.getByText("Output", { exact: true }).click();
    await page.locator("pre[lang=en]").waitFor();
    expect(trouble).toEqual([]);
  });

  test("a configuration that was changed by hand meanwhile is not overwritten", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new?preset=mock-erp`);
    await page.getByLabel("baseUrl", { exact: true }).fill(`${erp.url}/api`);
    await page.getByText("The system answers.").waitFor();
    writeFileSync(adapter.path, "# by hand\n");
    await page.getByLabel("Reason").fill("x");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("has changed meanwhile").waitFor();
    expect(readFileSync(adapter.path, "utf8")).toBe("# by hand\n");
  });

  test("the screen on the wall says whether all is well", async () => {
    const { page, trouble } = await newTab({ theme: "dark" });
    await signIn(page, adapter.url);
    await page.getByRole("link", { name: "Wall screen" }).click();
    await page.getByText("All is well").waitFor();
    await expectAccessible(page, "wall");
    expect(trouble).toEqual([]);
  });
});
