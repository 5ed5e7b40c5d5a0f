import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { apiKey } from "../support/adapter/adapter.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";
import { browserGroup, expectAccessible } from "./browser.ts";
import { openStage, signIn } from "./console-stage.ts";

/** Each theme and each width: what one of them does to a page, it does with the other as well. */
const looks = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
] as const;

browserGroup("every page and state of the console", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  let dead = 0;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-1" }), stage.order({ number: "SO-2" })]);
    await stage.attach("SO-1", "TOTE-1");
    await stage.place("SO-1", 2);
    await stage.place("SO-2", 13);
    stage.erp.orders = [{ no: "SO-9", due: "2030-01-31", lines: [{ pos: "1", item: "A-100", qty: "many" }] }];
    await stage.settled(1);
    const total = async () => ((await stage.get("quarantine")) as { total: number }).total;
    await vi.waitFor(async () => expect(await total()).toBe(1), 60_000);
    stage.erp.orders = [];
    dead = ((await stage.get("journal?state=dead")) as { entries: { seq: number }[] }).entries[0]?.seq ?? 0;
  });
  afterAll(async () => stage.close());

  const loaded = async (page: Page) => {
    await page.locator("main h1").first().waitFor();
    await page.locator(".loading").first().waitFor({ state: "detached" });
  };
  const press = (name: string) => async (page: Page) => {
    await page.getByRole("button", { name, exact: true }).first().click();
    await page.getByRole("dialog").waitFor();
  };
  const states: readonly (readonly [state: string, path: string, then?: (page: Page) => Promise<void>])[] = [
    ["overview", ""],
    ["orders", "orders"],
    ["no order found", "orders?q=nothing-like-this"],
    ["an order", "orders/SO-1"],
    ["the support bundle of an order", "orders/SO-1", press("Support bundle")],
    ["an unknown order", "orders/nobody"],
    ["deliveries", "deliveries?failure=refused,unreachable"],
    ["the entries of a cause", "deliveries", (page) => page.getByRole("button", { name: /Said no erp 422/ }).click()],
    ["retry all", "deliveries", press("Retry all")],
    ["skip all", "deliveries", press("Skip all")],
    ["delivered", "deliveries?state=delivered,discarded"],
    ["no delivery", "deliveries?order=nobody"],
    ["an entry", "entries/DEAD"],
    ["editing an entry", "entries/DEAD", press("Edit")],
    ["skipping an entry", "entries/DEAD", press("Skip")],
    ["an unknown entry", "entries/999999"],
    ["quarantine", "quarantine"],
    ["a record", "quarantine", (page) => page.getByRole("button", { name: /SO-9 work order/ }).click()],
    ["files", "import"],
    ["connect", "connect"],
    ["a new connection", "connect/new?preset=mock-erp"],
    ["try it", "floor"],
    ["configuration", "settings"],
    ["the wall", "wall"],
    ["no such page", "nowhere"],
  ];

  /** By the address, as a link within the page would: a whole load for each state takes longer than looking at it. */
  const follow = async (page: Page, path: string) => {
    const to = JSON.stringify(`${stage.url}/console/${path}`);
    await page.evaluate(`history.pushState(null, "", ${to}); dispatchEvent(new PopStateEvent("popstate"))`);
  };

  test.each(looks)("has no finding in $theme colours, $width pixels wide", async (look) => {
    const { page, trouble } = await newTab(look);
    await page.goto(stage.url);
    await page.getByRole("heading", { name: "Sign in to Crossdock" }).waitFor();
    await expectAccessible(page, "sign in");
    await signIn(page, stage.url);
    for (const [state, path, then] of states) {
      const address = path.replace("DEAD", String(dead));
      // Also that every dialog can be left by this key.
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await follow(page, address);
      await loaded(page);
      await then?.(page);
      await expectAccessible(page, `${state}, ${look.theme}, ${look.width}`);
      const isWider = await page.evaluate("document.documentElement.scrollWidth > innerWidth + 1");
      expect({ state, isWider }).toEqual({ state, isWider: false });
    }
    expect(trouble).toEqual([]);
  });

  test("every address can be opened in a new tab and says the same", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    const said = () => page.locator("main h1").first().textContent();
    for (const path of new Set(states.map(([, one]) => one.replace("DEAD", String(dead))))) {
      await follow(page, path);
      await loaded(page);
      const before = await said();
      await page.goto(`${stage.url}/console/${path}`);
      await loaded(page);
      expect({ path, said: await said() }).toEqual({ path, said: before });
    }
    expect(trouble).toEqual([]);
  });

  test("over a slow link the page says that it loads, and then has everything", async () => {
    const { page, context, trouble } = await newTab();
    await signIn(page, stage.url);
    const link = await context.newCDPSession(page);
    const slow = { offline: false, latency: 600, downloadThroughput: 40_000, uploadThroughput: 20_000 };
    await link.send("Network.emulateNetworkConditions", slow);
    await page.goto(`${stage.url}/console/orders/SO-1`, { waitUntil: "commit" });
    await page.getByRole("status").first().waitFor();
    await expectAccessible(page, "while it loads");
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: /Said no erp 422/ }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("an answer that the page does not understand is said to be one, and the other pages go on", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    // As after an update of the adapter.
    await page.route("**/admin/targets", (route) => route.fulfill({ json: { lanes: [] } }));
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("heading", { name: "This could not be loaded" }).waitFor();
    await expectAccessible(page, "an answer that the page does not understand");
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("link", { name: "SO-1" }).waitFor();
    await page.unroute("**/admin/targets");
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("button", { name: /Said no erp 422/ }).waitFor();
  });

  test.each(looks)("shows an error, and what is old, without a finding in $theme, $width wide", async (look) => {
    const { page, context } = await newTab(look);
    await signIn(page, stage.url);
    await context.setOffline(true);
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await expectAccessible(page, `an error, ${look.theme}, ${look.width}`);
    await context.setOffline(false);
    // The page may have loaded again by itself, and a click would wait for a button that never comes back.
    await page.evaluate('[...document.querySelectorAll("[role=alert] button")].at(-1)?.click()');
    await page.getByRole("link", { name: "SO-1" }).waitFor();
    await context.clearCookies();
    await follow(page, "deliveries");
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    await expectAccessible(page, `the end of a session, ${look.theme}, ${look.width}`);
  });
});

browserGroup("an adapter that is restarted under an open console", (newTab) => {
  const folder = newFolder();
  const open = async (port: string) => {
    const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: port, CROSSDOCK_SAMPLE: "false" };
    const { config, settings } = await loadConfig({ env, cwd: folder, text: "" });
    return await start({ config, settings: { ...settings, apiKey } });
  };
  afterAll(() => removeFolder(folder));

  test("the page says that it is stale, asks to sign in again, and is live again", async () => {
    let adapter = await open("0");
    const { url } = adapter;
    const { page, context } = await newTab();
    await signIn(page, url);
    const wall = await context.newPage();
    await wall.goto(`${url}/console/wall`);
    await wall.getByText("All is well").waitFor();
    await adapter.close();
    await wall.getByText("All is well").waitFor({ state: "detached" });
    await wall
      .getByText(/Connection lost/)
      .first()
      .waitFor();
    await expectAccessible(wall, "a stale wall");
    await wall.close();
    await page
      .getByText(/Connection lost/)
      .first()
      .waitFor();
    await expectAccessible(page, "stale");
    adapter = await open(new URL(url).port);
    try {
      await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
      await page.getByLabel("API key").fill(apiKey);
      await page.getByLabel("Your name").fill("Kim");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page
        .getByText(/Connection lost/)
        .first()
        .waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Orders", exact: true }).click();
      const body = JSON.stringify([
        { number: "AFTER-1", dueDate: "2030-01-31", requests: [{ itemNumber: "A", requestedAmount: 1 }] },
      ]);
      const headers = { "content-type": "application/json", "x-api-key": apiKey };
      expect((await fetch(`${url}/inbound/work-orders`, { method: "POST", headers, body })).status).toBe(202);
      await page.getByRole("link", { name: "AFTER-1" }).waitFor();
    } finally {
      await adapter.close();
    }
  });
});
