import { existsSync } from "node:fs";
import { resolve } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../../scripts/pictures/find-chromium.ts";

const root = resolve(import.meta.dirname, "../..");

/** Why no browser test can run here; null where it can. */
function missing(): string | null {
  if (!existsSync(resolve(root, "dist/console/index.html"))) return "the console is not built (npm run build:console)";
  try {
    findChromium();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What must never happen: scripts of others, refused resources, errors of the page. */
  readonly trouble: string[];
}

export type NewTab = (options?: { width?: number; theme?: "light" | "dark"; language?: string }) => Promise<Tab>;

/** A page asks until it is closed. What a test had put in front of an answer may still run then, and fails for nobody. */
async function end(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
  await context.close();
}

/** Tests in a real browser, one for the whole group. Without one they are skipped, and the reason is printed. */
export function browserGroup(title: string, tests: (newTab: NewTab) => void): void {
  const reason = missing();
  if (reason !== null && process.env["CROSSDOCK_REQUIRE_PEERS"] !== "1") {
    console.warn(`skipped: ${title}: ${reason}`);
    describe.skip(`${title} (skipped: ${reason})`, () => {
      test("is not run here", () => {});
    });
    return;
  }
  describe(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      if (reason !== null) throw new Error(reason);
      browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
    });
    afterAll(async () => browser.close());
    // An open page keeps asking the adapter, and takes processor time from the tests that follow. Some tests run at the
    // same time: only when none runs does nobody use a page any more.
    let running = 0;
    const opened: BrowserContext[] = [];
    beforeEach(() => {
      running++;
    });
    afterEach(async () => {
      running--;
      if (running === 0) await Promise.all(opened.splice(0).map(end));
    });
    tests(async ({ width = 1280, theme = "light", language = "en" } = {}) => {
      const context = await browser.newContext({
        ...{ viewport: { width, height: 900 }, colorScheme: theme, locale: language, reducedMotion: "reduce" },
      });
      opened.push(context);
      // Ends what hangs; a busy machine must stay far below it.
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      const trouble: string[] = [];
      page.on("dialog", (dialog) => {
        trouble.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("pageerror", (error) => trouble.push(`error ${error.message}`));
      page.on("console", (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) trouble.push(message.text());
      });
      return { page, context, trouble };
    });
  });
}

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** No finding of axe on the page as it is now, or in a part of it where the rest was looked at before. */
export async function expectAccessible(page: Page, where: string, part?: string): Promise<void> {
  const isLoaded = Boolean(await page.evaluate("typeof axe === 'object'"));
  // The page has no frames. For them, a page of its own would be opened for each look, which takes longer than the look.
  const axe = new AxeBuilder({ page, ...(isLoaded ? { axeSource: ";" } : {}) }).setLegacyMode();
  const options = { runOnly: { type: "tag" as const, values: tags }, resultTypes: ["violations" as const] };
  const { violations } = await (part === undefined ? axe : axe.include(part)).options(options).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  expect({ where, found }).toEqual({ where, found: [] });
}

/** Pictures for the documentation are taken by the same run, when they are asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env["CROSSDOCK_PICTURES"] !== "1") return;
  // A picture of a page that still loads shows nothing.
  await page.locator(".loading").first().waitFor({ state: "detached" });
  // Further down, what stays at the top of the window is missing at the top of the picture.
  await page.evaluate("scrollTo(0, 0)");
  const height = Math.min(1100, Number(await page.evaluate("document.documentElement.scrollHeight")));
  const clip = { x: 0, y: 0, width: page.viewportSize()?.width ?? 1280, height };
  await page.screenshot({ path: resolve(root, "docs/pictures", `${name}.png`), fullPage: true, clip });
}

/** A page that leaves when it is asked, and writes down that it was asked. */
export async function leavingPage(context: BrowserContext) {
  const page = await context.newPage();
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  return { page, asked };
}
