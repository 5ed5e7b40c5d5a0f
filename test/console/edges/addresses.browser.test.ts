import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { browserGroup } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

/** What a person sees of a page, and what stands in its fields; without how long ago something was. */
async function seen(page: Page): Promise<string> {
  await page.locator("main h1").first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
  const text = await page.locator("main").innerText();
  const fields = await page.evaluate(
    '[...document.querySelectorAll("main :is(input, select)")].map((one) => one.value).join("|")',
  );
  const pressed = await page.evaluate(
    '[...document.querySelectorAll("main :is([aria-pressed=true], [aria-expanded=true])")].map((one) => one.textContent).join("|")',
  );
  return [text, fields, pressed].join("\n---\n").replace(/[\d.,]+\s(ms|sec|min|hr|days?)\b/g, "…");
}

const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();

browserGroup("filters in the address", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([
      stage.order({ number: "SO-1" }),
      stage.order({ number: "SO-2" }),
      stage.order({ number: "X-3" }),
    ]);
    await stage.attach("SO-1", "TOTE-1");
    await stage.place("SO-1", 1);
    await stage.place("SO-2", 13);
    stage.erp.orders = [{ no: "SO-9", due: "2030-01-31", lines: [{ pos: "1", item: "A-100", qty: "many" }] }];
    await stage.settled(1);
    const total = async () => ((await stage.get("quarantine")) as { total: number }).total;
    await vi.waitFor(async () => expect(await total()).toBe(1), 60_000);
    // Nothing moves any more, so that two looks can be compared.
    stage.erp.orders = [];
    await stage.settled(1);
  });
  afterAll(async () => stage.close());

  const fillIn = (label: string, text: string) => async (page: Page) => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.keyboard.press("Enter");
  };
  const lists: readonly { list: string; path: string; part: string; step: (page: Page) => Promise<unknown> }[] = [
    { list: "the overview's range", path: "", part: "range=24h", step: button("24 hours") },
    {
      ...{ list: "orders by text", path: "orders", part: "q=SO" },
      step: (page) => page.locator("main").getByRole("searchbox").fill("SO"),
    },
    { list: "orders by state", path: "orders", part: "state=started", step: button("In progress") },
    { list: "what happened in one lane", path: "orders/SO-1", part: "lane=platform", step: button("Platform") },
    {
      ...{ list: "an opened step", path: "orders/SO-1", part: "entry=" },
      step: (page) => page.locator(".event button.card").first().click(),
    },
    { list: "deliveries by cause", path: "deliveries", part: "failure=refused", step: button("Said no") },
    { list: "the entries of a cause", path: "deliveries", part: "cause=", step: button(/Said no erp 422/) },
    { list: "deliveries that were made", path: "deliveries", part: "state=delivered", step: button("Delivered") },
    {
      ...{ list: "deliveries of an order", path: "deliveries?state=delivered%2Cdiscarded", part: "order=SO-1" },
      step: async (page) => {
        await page.getByText("More filters").click();
        await fillIn("Order", "SO-1")(page);
      },
    },
    {
      ...{ list: "deliveries since a time", path: "deliveries?order=SO-2", part: "from=" },
      step: fillIn("Received since", "2020-01-31T08:00"),
    },
    { list: "a record in quarantine", path: "quarantine", part: "record=", step: button(/SO-9/) },
    {
      ...{ list: "files of items", path: "import", part: "kind=items" },
      step: (page) => page.locator("main select").first().selectOption("items"),
    },
    { list: "settings by name", path: "settings", part: "filter=console", step: fillIn("Filter", "console") },
  ];

  test.each(lists)("$list: kept in the address, and the same in a new tab", async ({ path, part, step }) => {
    const { page, context, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/${path}`);
    const before = await seen(page);
    await step(page);
    await expect.poll(() => page.url(), { timeout: 60_000 }).toContain(part);
    const copy = await context.newPage();
    await copy.goto(page.url());
    // Each page draws its list after its frame, at its own time.
    await vi.waitFor(async () => expect(await seen(copy)).toBe(await seen(page)), 60_000);
    // The control: the filter does something.
    expect(await seen(copy)).not.toBe(before);
    expect(trouble).toEqual([]);
  });
});
