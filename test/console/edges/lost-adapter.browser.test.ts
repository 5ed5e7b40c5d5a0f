import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup } from "../browser.ts";
import { signIn } from "../console-stage.ts";
import { inOwnProcess, inThisProcess, restartable } from "./restartable.ts";
import { outliveAdapter, typedPages } from "./typed-pages.ts";

browserGroup("an adapter that ends while its console is open", (newTab) => {
  let stage: Awaited<ReturnType<typeof restartable>>;
  beforeAll(async () => {
    stage = await restartable(inThisProcess);
  });
  afterAll(async () => stage.close());

  /** A browser has six connections to one address, and each page in sight keeps one. */
  const together = 4;
  const batches = Array.from({ length: Math.ceil(typedPages.length / together) }, (_, index) =>
    typedPages.slice(index * together, (index + 1) * together),
  ).map((some) => ({ some, names: some.map(([path]) => path || "overview").join(", ") }));

  test.each(batches)(
    "says that it is old, keeps what was typed, and is up to date after one sign-in: $names",
    async ({ some }) => outliveAdapter(newTab, stage, some),
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
    expect(await page.getByText(/Connection lost/).count()).toBe(0);
    expect(trouble).toEqual([]);
  });
});

browserGroup("an adapter that is killed while its console is open", (newTab) => {
  let stage: Awaited<ReturnType<typeof restartable>>;
  beforeAll(async () => {
    stage = await restartable(inOwnProcess);
  });
  afterAll(async () => stage.close());

  /** A few: what one way of ending does to a page, the other does as well. */
  const sampled = ["deliveries", "entries/DEAD", "connect/new?preset=mock-erp", "floor"];

  test("what was typed outlives the kill, and the pages come back when the adapter does", async () => {
    const some = typedPages.filter(([path]) => sampled.includes(path));
    expect(some).toHaveLength(sampled.length);
    await outliveAdapter(newTab, stage, some);
  });
});
