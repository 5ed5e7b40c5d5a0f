import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { apiKey } from "../../support/adapter/adapter.ts";
import { browserGroup } from "../browser.ts";
import { openStage, signIn, viewerKey } from "../console-stage.ts";

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();

async function signInAgain(page: Page): Promise<void> {
  await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
  await page.getByLabel("API key").fill(apiKey);
  await page.getByLabel("Your name").fill("Kim");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: /Your session has ended/ }).waitFor({ state: "detached" });
}

/** Requests that are held until they are let go. */
async function hold(page: Page, path: string) {
  const held: Route[] = [];
  await page.route(path, (route) => void held.push(route));
  return {
    held,
    letGo: async () => {
      await page.unroute(path);
      // A page may have cancelled it.
      for (const route of held.splice(0)) await route.continue().catch(() => {});
    },
  };
}

browserGroup("answers that come late, and sessions that end early", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-4712" })]);
  });
  beforeEach(async () => {
    await stage.calm();
    await stage.place("SO-4712", 13);
    await stage.settled(1);
  });
  afterAll(async () => stage.close());
  const dead = async () =>
    ((await stage.get("journal?state=dead")) as { entries: { seq: number }[] }).entries[0]?.seq ?? 0;

  test("all of a filter can be skipped after the session has ended before the entries were counted", async () => {
    const { page, context } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries`);
    await page.getByRole("button", { name: "Skip all" }).waitFor();
    await context.clearCookies();
    // The page may notice the end by itself before: a click would then wait behind that dialog.
    await page.getByRole("button", { name: "Skip all" }).dispatchEvent("click");
    await signInAgain(page);
    await page.getByText("This affects 1 ").waitFor();
    await page.getByLabel(/^Reason/).fill("booked by hand");
    await press(page, "Skip 1");
    await page.getByText("1 done, 0 not possible").waitFor();
  });

  test("a check of an earlier text says nothing about the text that stands there now", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/entries/${await dead()}`);
    await press(page, "Edit");
    await page.getByText("The content is valid.").waitFor();
    const content = page.getByLabel("Content that will be sent");
    const good = (await content.inputValue()).replace("13", "11");
    const checks = await hold(page, "**/check");
    await content.fill("{ this is no JSON");
    await expect.poll(() => checks.held.length, { timeout: 60_000 }).toBe(1);
    const cancelled = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/check"));
    await content.fill(good);
    await cancelled;
    await expect.poll(() => checks.held.length, { timeout: 60_000 }).toBe(2);
    await page.getByLabel(/^Reason/).fill("counted");
    // Nothing is known of it yet.
    expect(await page.getByRole("button", { name: "Save and send" }).isDisabled()).toBe(true);
    await checks.letGo();
    await page.getByText("The content is valid.").waitFor();
    await press(page, "Save and send");
    await stage.settled(0);
  });

  test("a load over a slow link is finished while the floor goes on changing things", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    const ended: string[] = [];
    page.on("requestfailed", (request) => ended.push(new URL(request.url()).pathname));
    const loads = await hold(page, "**/admin/deliveries?*");
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await expect.poll(() => loads.held.length, { timeout: 60_000 }).toBe(1);
    // The targets stand for everything else of the page: they are loaded again with each change.
    for (let change = 0; change < 2; change++) {
      const again = page.waitForResponse("**/admin/targets");
      await stage.place("SO-4712", 1);
      await again;
    }
    expect(ended.filter((path) => path.endsWith("/deliveries"))).toEqual([]);
    expect(loads.held.length).toBe(1);
    await loads.letGo();
    await page.getByRole("button", { name: /Said no erp 422/ }).waitFor();
  });

  test("a word that was typed before the page was left sets no filter on the next page", async () => {
    const { page } = await newTab();
    await page.clock.install();
    // The page is painted late.
    await page.addInitScript("window.requestAnimationFrame = () => 0");
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders`);
    await page.getByRole("link", { name: "SO-4712" }).waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByPlaceholder(/^Order, container/).fill("SO");
    // The search waits for 300 ms after its page was painted: its time comes before the next page is.
    await page.clock.runFor(320);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.clock.runFor(1_000);
    await page.getByRole("heading", { name: "Deliveries" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("no further part of a long action begins once its dialog is closed", async () => {
    const { page } = await newTab();
    await page.clock.install();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries`);
    const parts: Route[] = [];
    await page.route("**/admin/journal/bulk", async (route) => {
      const { dryRun } = route.request().postDataJSON() as { dryRun: boolean };
      if (dryRun) await route.fulfill({ json: { count: 1_000, first: [], isCut: false, results: [] } });
      else parts.push(route);
    });
    await press(page, "Skip all");
    await page.getByLabel(/^Reason/).fill("booked by hand");
    await press(page, "Skip 1,000");
    await expect.poll(() => parts.length).toBe(1);
    await page.clock.pauseAt(Date.now() + 60_000);
    await press(page, "Cancel");
    const results = Array.from({ length: 500 }, (_, index) => ({ seq: index + 1, done: true }));
    await parts[0]?.fulfill({ json: { count: 1_000, first: [], isCut: false, results } });
    // By the time this has an answer, the page has read the one before it.
    await page.evaluate("fetch('../admin/session').then((answer) => answer.text())");
    expect(parts.length).toBe(1);
  });

  test("a dialog that must stay is shown again, however often Escape is pressed", async () => {
    const { page, context } = await newTab();
    await signIn(page, stage.url);
    await context.clearCookies();
    await page.getByRole("link", { name: "Orders", exact: true }).dispatchEvent("click");
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    for (let time = 0; time < 4; time++) await page.keyboard.press("Escape");
    await signInAgain(page);
    await page.getByRole("link", { name: "SO-4712" }).waitFor();
  });

  test("a dialog in an opened step stays while the history grows, and steps are opened with the keyboard", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders/SO-4712`);
    const card = page.locator(".event button.card:enabled").last();
    await card.focus();
    await page.keyboard.press("Enter");
    await press(page, "Edit");
    const content = page.getByLabel("Content that will be sent");
    await content.fill("typed");
    const again = page.waitForResponse("**/timeline*");
    await stage.place("SO-4712", 2);
    await again;
    await page.locator(".event", { hasText: "2 ×" }).or(page.locator(".event").last()).first().waitFor();
    expect(await content.inputValue()).toBe("typed");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Edit");
  });

  test("a viewer reads what a viewer can do", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url, { key: viewerKey, name: "" });
    await page.getByRole("link", { name: "Try it" }).click();
    await page.getByText("Only administrators can start a simulation").waitFor();
    expect(await page.locator("main button").count()).toBe(0);
    await page.goto(`${stage.url}/console/entries/${await dead()}`);
    await page.getByText("the bin is locked").first().waitFor();
    expect(await page.getByRole("button", { name: /^(Edit|Retry|Skip)$/ }).count()).toBe(0);
    expect(await page.content()).not.toContain("jo@example.com");
  });
});
