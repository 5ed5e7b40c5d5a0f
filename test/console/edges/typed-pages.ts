import type { Page } from "playwright-core";
import { expect } from "vitest";
import { apiKey } from "../../support/adapter/adapter.ts";
import { byForm } from "../../support/long-form.ts";
import { expectAccessible, type NewTab } from "../browser.ts";
import { signIn } from "../console-stage.ts";
import type { restartable } from "./restartable.ts";

type TypedPage = readonly [path: string, type: (page: Page) => Promise<void>, kept: (page: Page) => unknown];

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).first().click();

/** What a person has typed on each page, and where it must still stand afterwards. */
export const typedPages: readonly TypedPage[] = [
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
      expect(await page.getByRole("textbox", { name: "The record as it was checked" }).inputValue()).toContain("typed"),
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

/**
 * Opens pages, types into them, ends the adapter and starts it again. Each page says that it is old, keeps what was
 * typed, and is up to date by itself when somebody has signed in again in one of them.
 */
export async function outliveAdapter(
  newTab: NewTab,
  stage: Awaited<ReturnType<typeof restartable>>,
  some: readonly TypedPage[],
): Promise<void> {
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
  const old = (page: Page) => page.getByText(/Connection lost/);
  for (const [nth, [path, page]] of tabs.entries()) {
    await page.bringToFront();
    await old(page).first().waitFor();
    // Once for the whole page.
    expect({ path, lines: await old(page).count() }).toEqual({ path, lines: 1 });
    // The line stands in the same frame around all of them.
    if (byForm({ gate: nth === 0, long: true })) await expectAccessible(page, `${path} while the adapter is down`);
  }
  await stage.begin();
  // The wall says it in its own large letters.
  const ended = (page: Page) =>
    page.getByRole("heading", { name: /Your session has ended/ }).or(page.getByText(/the session ended on/));
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
    await page.getByText("The adapter does not answer").first().waitFor({ state: "detached" });
    await kept(page);
    expect({ path, trouble }).toEqual({ path, trouble: [] });
  }
}
