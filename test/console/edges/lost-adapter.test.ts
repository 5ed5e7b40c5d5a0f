import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { start } from "../../../src/app/start.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { createClient } from "../../../src/contract/derive/client.ts";
import { apiKey } from "../../support/adapter/adapter.ts";
import { newFolder, removeFolder } from "../../support/temporary-folder.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";

/** An adapter with a refused delivery and a record in quarantine, which can be ended and started again at the same address. */
async function restartable() {
  const folder = newFolder();
  const bad = { items: [{ number: "Q-1", requests: [] }] };
  const erp = createServer((request, response) => {
    request.resume();
    const isQuery = request.method === "GET";
    response
      .writeHead(isQuery ? 200 : 422, { "content-type": "application/json" })
      .end(JSON.stringify(isQuery ? bad : { message: "the bin is locked" }));
  });
  await new Promise<void>((resolve) => erp.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(erp.address() as AddressInfo).port}`;
  const request = { path: "/placed", body: { amount: "{completedAmount}" } };
  const poll = [{ topic: "workOrders", everySeconds: 3600, path: "/orders", records: "items" }];
  const text = JSON.stringify({
    connectors: { erp: { type: "http", baseUrl, operations: { confirmPutWallPlacement: request }, poll } },
    events: { to: "erp" },
  });
  const path = join(folder, "crossdock.yaml");
  writeFileSync(path, text);
  const open = async (port: string) => {
    const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: port, CROSSDOCK_SAMPLE: "false" };
    const load = (given?: string) => loadConfig({ env, cwd: folder, text: given });
    const { config, settings } = await load();
    return await start({ config, settings: { ...settings, apiKey }, configuration: { path, load } });
  };
  let adapter = await open("0");
  const { url } = adapter;
  const get = async (path: string) =>
    (await (await fetch(`${url}/admin/${path}`, { headers: { "x-api-key": apiKey } })).json()) as never;
  const order = { workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 2, userEmail: "jo@example.com" };
  await createClient({ baseUrl: url, apiKey }).confirmPutWallPlacement(order);
  await vi.waitFor(async () => expect(await get("targets")).toMatchObject({ entries: { dead: 1 } }), 60_000);
  await vi.waitFor(async () => expect(await get("quarantine")).toMatchObject({ total: 1 }), 60_000);
  const { entries } = (await get("journal?state=dead")) as { entries: { seq: number }[] };
  return {
    ...{ url, dead: String(entries[0]?.seq) },
    end: () => adapter.close(),
    begin: async () => {
      adapter = await open(new URL(url).port);
    },
    close: async () => {
      await adapter.close();
      erp.closeAllConnections();
      await new Promise((resolve) => erp.close(resolve));
      removeFolder(folder);
    },
  };
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();

browserGroup("an adapter that ends while its console is open", (newTab) => {
  let stage: Awaited<ReturnType<typeof restartable>>;
  beforeAll(async () => {
    stage = await restartable();
  });
  afterAll(async () => stage.close());

  /** What a person has typed on each page, and where it must still stand afterwards. */
  const pages: readonly (readonly [
    path: string,
    type: (page: Page) => Promise<void>,
    kept: (page: Page) => unknown,
  ])[] = [
    ["", async () => {}, (page) => page.getByRole("heading", { name: "Overview" }).waitFor()],
    [
      "orders?q=W-1",
      async (page) => page.getByRole("link", { name: "W-1" }).waitFor(),
      (page) => page.getByRole("link", { name: "W-1" }).waitFor(),
    ],
    ["orders/W-1", async () => {}, (page) => page.getByRole("heading", { name: "What happened" }).waitFor()],
    [
      "deliveries",
      async (page) => {
        await press(page, "Skip all");
        await page.getByLabel(/^Reason/).fill("typed before");
      },
      async (page) => expect(await page.getByLabel(/^Reason/).inputValue()).toBe("typed before"),
    ],
    [
      "entries/DEAD",
      async (page) => {
        await press(page, "Edit");
        const content = page.getByLabel("Content that will be sent");
        await content.fill((await content.inputValue()).replace(": 2", ": 77"));
      },
      async (page) => expect(await page.getByLabel("Content that will be sent").inputValue()).toContain(": 77"),
    ],
    [
      "quarantine",
      async (page) => {
        await press(page, /Q-1/);
        await press(page, "Correct and retry");
        await page.getByRole("textbox", { name: "The record as it was checked" }).fill('{ "typed": "before" }');
      },
      async (page) =>
        expect(await page.getByRole("textbox", { name: "The record as it was checked" }).inputValue()).toContain(
          "typed",
        ),
    ],
    [
      "import",
      async (page) => {
        const buffer = Buffer.from("Order;Due date;Item;Quantity\n4711;2030-01-31;A-1;many\n");
        const chosen = { name: "o.csv", mimeType: "text/csv", buffer };
        await page.getByLabel("Drop a CSV or JSON file here").setInputFiles(chosen);
        await page.getByRole("heading", { name: "1 problem" }).waitFor();
      },
      (page) => page.getByRole("heading", { name: "1 problem" }).waitFor(),
    ],
    [
      "connect/new?preset=mock-erp",
      async (page) => page.getByLabel("baseUrl", { exact: true }).fill("http://127.0.0.1:9/typed"),
      async (page) =>
        expect(await page.getByLabel("baseUrl", { exact: true }).inputValue()).toBe("http://127.0.0.1:9/typed"),
    ],
    [
      "floor",
      async (page) => page.getByLabel("Orders", { exact: true }).fill("77"),
      async (page) => expect(await page.getByLabel("Orders", { exact: true }).inputValue()).toBe("77"),
    ],
    [
      "settings?filter=erp",
      async (page) => page.getByText("connectors.erp.type").waitFor(),
      (page) => page.getByText("connectors.erp.type").waitFor(),
    ],
    ["connect", async (page) => page.getByRole("link", { name: "Mock ERP" }).waitFor(), () => {}],
    ["wall", async () => {}, () => {}],
  ];

  /** A browser has six connections to one address, and each page in sight keeps one. */
  const together = 4;
  const batches = Array.from({ length: Math.ceil(pages.length / together) }, (_, index) =>
    pages.slice(index * together, (index + 1) * together),
  ).map((some) => ({ some, names: some.map(([path]) => path || "overview").join(", ") }));

  test.each(batches)(
    "says that it is old, keeps what was typed, and is up to date after one sign-in: $names",
    async ({ some }) => {
      const { page: front, context, trouble } = await newTab();
      await signIn(front, stage.url);
      const tabs: (readonly [path: string, page: Page, kept: (page: Page) => unknown])[] = [];
      for (const [path, type, kept] of some) {
        const page = await context.newPage();
        await page.goto(`${stage.url}/console/${path.replace("DEAD", stage.dead)}`);
        await page.locator("main h1").first().waitFor();
        await page.locator(".loading").first().waitFor({ state: "detached" });
        await type(page);
        tabs.push([path, page, kept]);
      }
      await stage.end();
      const old = (page: Page) => page.getByText(/Not up to date/);
      for (const [path, page] of tabs) {
        await page.bringToFront();
        await old(page).first().waitFor();
        // Once for the whole page.
        expect({ path, lines: await old(page).count() }).toEqual({ path, lines: 1 });
        await expectAccessible(page, `${path} while the adapter is down`);
      }
      await stage.begin();
      const ended = (page: Page) => page.getByRole("heading", { name: /Your session has ended/ });
      for (const [, page] of tabs) await ended(page).waitFor();
      await front.bringToFront();
      await ended(front).waitFor();
      await front.getByLabel("API key").fill(apiKey);
      await front.getByLabel("Your name").fill("Kim");
      await front.getByRole("button", { name: "Sign in" }).click();
      for (const [path, page, kept] of tabs) {
        await page.bringToFront();
        await ended(page).waitFor({ state: "detached" });
        await old(page).first().waitFor({ state: "detached" });
        await page.getByText("The adapter does not answer").waitFor({ state: "detached" });
        await kept(page);
        expect({ path, trouble }).toEqual({ path, trouble: [] });
      }
    },
  );

  test("a tab in the background holds no connection, and is up to date when it is looked at again", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    const opened: string[] = [];
    const ended: string[] = [];
    page.on("request", (request) => request.url().endsWith("/admin/live") && opened.push(request.url()));
    page.on("requestfailed", (request) => request.url().endsWith("/admin/live") && ended.push(request.url()));
    page.on("requestfinished", (request) => request.url().endsWith("/admin/live") && ended.push(request.url()));
    const turn = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));`,
      );
    await turn(true);
    await expect.poll(() => ended.length, { timeout: 60_000 }).toBe(1);
    await turn(false);
    await expect.poll(() => opened.length, { timeout: 60_000 }).toBe(1);
    expect(await page.getByText(/Not up to date/).count()).toBe(0);
    expect(trouble).toEqual([]);
  });
});
