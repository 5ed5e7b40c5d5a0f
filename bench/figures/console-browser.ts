import { chromium, type Page } from "playwright-core";
import { findChromium } from "../../scripts/pictures/find-chromium.ts";
import { benchKey } from "../data/bench-key.ts";
import { median } from "../harness/median.ts";
import { startAdapter, withChildren } from "../harness/programs.ts";
import type { Measurement } from "../harness/report/measurement.ts";

const entries = 2_000;
const loads = 7;
const scrolls = 5;
const number = "LONG-STORY";

/** The console as a browser sees it: how soon a person can use it, and how smoothly a long history scrolls. */
export async function inBrowser(folder: string): Promise<readonly Measurement[]> {
  const adapter = await startAdapter(folder);
  return await withChildren([adapter], async () => {
    const { url } = adapter;
    await tellLongStory(url);
    const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en" });
      const page = await context.newPage();
      await page.goto(`${url}/console`);
      await page.getByLabel("API key").fill(benchKey);
      await page.getByLabel("Your name").fill("bench");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator(".tiles").waitFor();
      return [await interactive(page, url), await frames(page, url)];
    } finally {
      await browser.close();
    }
  });
}

async function tellLongStory(url: string): Promise<void> {
  const headers = { "content-type": "application/json", "x-api-key": benchKey };
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    await answer.body?.cancel();
  };
  const requests = [{ itemNumber: "A-1", requestedAmount: entries }];
  await post("/inbound/work-orders", [{ number, dueDate: "2030-01-31", requests }]);
  for (let made = 1; made < entries; made++) {
    const cancellation = { workOrderNumber: number, itemNumber: "A-1", requestedAmount: entries - made };
    await post("/inbound/cancellations", cancellation);
  }
}

/** Measures from the beginning of the navigation until the overview shows its numbers, with an empty cache. */
async function interactive(page: Page, url: string): Promise<Measurement> {
  const session = await page.context().newCDPSession(page);
  const times: number[] = [];
  for (let load = 0; load < loads; load++) {
    await session.send("Network.clearBrowserCache");
    await page.goto(`${url}/console`);
    await page.locator(".tiles").waitFor();
    times.push(Number(await page.evaluate("performance.now()")));
  }
  return {
    ...{ what: "Console interactive after an empty cache", unit: "ms", ours: median(times) },
    bar: { of: "figure", at: "most", limit: 1_000 },
  };
}

/** Scrolls one step per frame from the given place, and returns the frames per second. */
const scrolled = (from: string) => `new Promise((done) => {
  const times = [];
  const step = (at) => {
    times.push(at);
    scrollBy(0, 60);
    const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
    if (isEnd || times.length > 300) done((times.length - 1) * 1000 / (times.at(-1) - times[0])); else requestAnimationFrame(step);
  };
  scrollTo(0, ${from});
  requestAnimationFrame(step);
})`;
/** Where the history begins. Everything above it does not belong to the figure. */
const history = "document.querySelector('#timeline-title').getBoundingClientRect().top + scrollY";

/**
 * Compared in turn with a page of as many plain paragraphs, because a machine without a graphics card draws neither at
 * the full rate.
 */
async function frames(page: Page, url: string): Promise<Measurement> {
  const [ours, bare]: [number[], number[]] = [[], []];
  const plain = await page.context().newPage();
  const paragraph = '<p style="height:56px;margin:0">3 × A-1 put on the wall</p>';
  await plain.setContent(paragraph.repeat(entries));
  for (let round = 0; round < scrolls; round++) {
    await page.bringToFront();
    await page.goto(`${url}/console/orders/${number}`);
    const timeline = page.locator("section[aria-labelledby=timeline-title]");
    const older = timeline.getByRole("button", { name: /older/i });
    await older.click();
    await older.waitFor({ state: "detached" });
    const rows = Number(await timeline.locator("li[aria-posinset='1']").getAttribute("aria-setsize"));
    if (rows < entries) throw new Error(`the history has only ${rows} rows`);
    // The mouse rests on both pages, because the browser looks up what is under it in every frame.
    await page.mouse.move(640, 450);
    ours.push(Number(await page.evaluate(scrolled(history))));
    await plain.bringToFront();
    await plain.mouse.move(640, 450);
    bare.push(Number(await plain.evaluate(scrolled("0"))));
  }
  return {
    what: `Frames per second while ${entries.toLocaleString("en")} entries scroll, beside plain text`,
    ...{ unit: "1/s", ours: median(ours), bare: median(bare) },
    bar: { of: "ratio", at: "least", limit: 0.95 },
  };
}
