import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

browserGroup("the trace of an entry", (newTab) => {
  let adapter: Awaited<ReturnType<typeof startAdapter>>;
  let close = async () => {};
  beforeAll(async () => {
    adapter = await startAdapter({
      config: { console: { traceUrl: "https://traces.example.com/trace/{traceId}?from=crossdock" } },
      onFinished: (end) => {
        close = end;
      },
    });
    await adapter.client.attachWorkOrder({
      ...{ workOrderNumber: "W-1", containerCode: "T-1", isAbandonedOrCancelled: false },
    });
  });
  afterAll(async () => close());
  /** As an entry of an adapter that sends traces. */
  const traced = (page: Page, id: string | null) =>
    page.route("**/admin/journal/1?*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), traceId: id } });
    });
  const open = async (page: Page) => {
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/entries/1`);
    await page.getByText("Received").waitFor();
  };

  test("is a link to the tracing UI of the site, which learns nothing of the page", async () => {
    const { page, trouble } = await newTab();
    await traced(page, traceId);
    await open(page);
    const link = page.getByRole("link", { name: traceId });
    expect(await link.getAttribute("href")).toBe(`https://traces.example.com/trace/${traceId}?from=crossdock`);
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await expectAccessible(page, "an entry with a trace");
    expect(trouble).toEqual([]);
  });

  test("is not mentioned where nothing was traced, or no tracing UI is known", async () => {
    const { page } = await newTab();
    await traced(page, null);
    await open(page);
    expect(await page.getByText("Trace", { exact: true }).count()).toBe(0);
    await adapter.reload({});
    await traced(page, traceId);
    await open(page);
    expect(await page.getByText(traceId).count()).toBe(0);
  });

  test.each(["https://traces.example.com/", "javascript:alert('{traceId}')", "https://a b/{traceId}"])(
    "cannot be configured as %s",
    async (traceUrl) => {
      await expect(adapter.reload({ console: { traceUrl } })).rejects.toThrow(/console\.traceUrl/);
    },
  );
});
