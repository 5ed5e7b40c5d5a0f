import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { openStage, signIn, viewerKey } from "../console-stage.ts";

browserGroup("a screen on the wall", (newTab) => {
  let adapter: Awaited<ReturnType<typeof startAdapter>>;
  let close = async () => {};
  let shiftMs = 0;
  const hourMs = 3_600_000;
  beforeAll(async () => {
    adapter = await startAdapter({
      config: { console: { users: { Vera: { apiKey: viewerKey, role: "viewer" } } } },
      clock: { now: () => Date.now() + shiftMs },
      onFinished: (end) => {
        close = end;
      },
    });
  });
  afterAll(async () => close());

  test("says until when it is signed in, and when that ends shows no old numbers but what to do", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url, { key: viewerKey, name: "" });
    const streams: string[] = [];
    page.on("request", (request) => request.url().includes("/admin/live") && streams.push(request.url()));
    await page.getByRole("link", { name: "Wall screen" }).click();
    await page.getByText("All is well").waitFor();
    await page.getByText(/Signed in until/).waitFor();
    await expect.poll(() => streams.at(-1), { timeout: 60_000 }).toBe(`${adapter.url}/admin/live?view=wall`);
    await expectAccessible(page, "the wall of a viewer");
    shiftMs = 13 * hourMs;
    await page.getByText(/Not up to date: the session ended on/).waitFor();
    expect(await page.getByText("All is well").count()).toBe(0);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await expectAccessible(page, "the wall after the session has ended");
    await page.getByLabel("API key").fill(viewerKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("All is well").waitFor();
    // Elsewhere the same person is not kept signed in by looking.
    await page.getByRole("link", { name: "Overview" }).click();
    await expect.poll(() => streams.at(-1), { timeout: 60_000 }).toBe(`${adapter.url}/admin/live`);
    expect(trouble).toEqual([]);
  });

  test("of an admin says that it will sign out, and how to avoid that", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.getByRole("link", { name: "Wall screen" }).click();
    await page.getByText(/You are signed in as admin.*With a viewer’s key it stays/).waitFor();
    await expectAccessible(page, "the wall of an admin");
  });
});

browserGroup("the overview", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-1" })]);
    await stage.place("SO-1", 13);
    await stage.settled(1);
    await stage.place("SO-1", 2);
  });
  afterAll(async () => stage.close());

  test("says how long the oldest waits also if it waits behind a dead one, and counts on while the page is open", async () => {
    const { page, trouble } = await newTab();
    await page.clock.install({ time: Date.now() });
    await signIn(page, stage.url);
    const oldest = page.locator(".tiles li", { hasText: "Oldest waiting" });
    await page.locator(".tiles li", { hasText: /^1\s*Waiting/ }).waitFor();
    expect(await oldest.locator("time").count()).toBe(1);
    // Nothing changes at the adapter meanwhile: the page counts by itself.
    await page.clock.fastForward(10 * 60_000);
    await expect.poll(() => oldest.textContent(), { timeout: 60_000 }).toMatch(/^1\d\smin/);
    await page.clock.fastForward(3 * 3_600_000);
    await expect.poll(() => oldest.textContent(), { timeout: 60_000 }).toMatch(/^3(\.\d)?\shr/);
    expect(trouble).toEqual([]);
  });

  test("draws how long answers took, on an axis of its own", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.locator("figcaption", { hasText: /95 of 100 within\s*\d/ }).waitFor();
    await expect.poll(() => page.locator(".chart .u-axis").count(), { timeout: 60_000 }).toBe(3);
    await page.getByRole("button", { name: "24 hours" }).click();
    await page.locator("figcaption", { hasText: /95 of 100 within\s*\d/ }).waitFor();
    await expectAccessible(page, "the overview with durations");
  });
});

browserGroup("a configuration with long names", (newTab) => {
  test("does not make the page wider than a phone", async () => {
    const name = "warehouse_of_the_northern_region";
    const { url } = await startAdapter({
      config: { connectors: { [name]: { type: "webhook", url: `http://127.0.0.1:9/${"long-path-".repeat(12)}` } } },
    });
    const { page } = await newTab({ width: 390 });
    await signIn(page, url);
    for (const path of ["settings", "settings?defaults=1", "connect", `connect/${name}`, "", "deliveries", "wall"]) {
      await page.goto(`${url}/console/${path}`);
      await page.locator("main h1").first().waitFor({ state: "attached" });
      await page.locator(".loading").first().waitFor({ state: "detached" });
      const isWider = await page.evaluate("document.documentElement.scrollWidth > innerWidth + 1");
      expect({ path, isWider }).toEqual({ path, isWider: false });
    }
  });
});

browserGroup("a system that answers no query", (newTab) => {
  test("is shown as such on the overview and on the wall, although nothing waits for it", async () => {
    const lines = { each: "lines", map: { itemNumber: "item", requestedAmount: "qty" } };
    const listWorkOrders = { path: "/orders", map: { number: "no", dueDate: "due", requests: lines } };
    const { url, client } = await startAdapter({
      config: {
        connectors: { erp: { type: "http", baseUrl: "http://127.0.0.1:9", operations: { listWorkOrders } } },
        serve: { workOrders: "erp" },
      },
    });
    await client.listWorkOrders();
    const { page, trouble } = await newTab();
    await signIn(page, url);
    await page.getByText(/^Work orders: no answer since .*last known data/).waitFor();
    expect(await page.locator(".cards .badge").allTextContents()).toEqual(["does not answer"]);
    await expectAccessible(page, "the overview of a silent system");
    await page.goto(`${url}/console/wall`);
    await page.locator(".tiles li.bad", { hasText: "does not answer" }).waitFor();
    // Also before an alarm is raised.
    await page.locator(".state.bad", { hasText: "Needs attention" }).waitFor();
    expect(await page.getByText("All is well").count()).toBe(0);
    expect(trouble).toEqual([]);
  });
});
