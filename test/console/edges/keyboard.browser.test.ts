import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { apiKey } from "../../support/adapter/adapter.ts";
import { browserGroup } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

/** What has the focus: its name, and whether a person sees that it has it. */
const focused = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const x = Math.min(innerWidth - 1, Math.max(0, (left + right) / 2));
  const y = Math.min(innerHeight - 1, Math.max(0, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2));
  const there = document.elementFromPoint(x, y);
  return {
    name: (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent ?? "").trim(),
    isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) > 0,
    isInSight: bottom > 0 && top < innerHeight && there !== null && (one.contains(there) || there.contains(one)),
  };
})()`;

interface Focused {
  readonly name: string;
  readonly isMarked: boolean;
  readonly isInSight: boolean;
}

const mostSteps = 120;

function keyboardOf(page: Page) {
  // Only the expression above is evaluated.
  const look = async () => (await page.evaluate(focused)) as Focused | null;
  const seen = async (where: string): Promise<Focused> => {
    const now = await look();
    const { isMarked = false, isInSight = false, name = "nothing" } = now ?? {};
    expect({ where, name, isMarked, isInSight }).toEqual({ where, name, isMarked: true, isInSight: true });
    return { name, isMarked, isInSight };
  };
  return {
    /** By the tabulator, until something of this name has the focus; it is never lost on the way. */
    to: async (wanted: RegExp) => {
      for (let step = 0; step < mostSteps; step++) {
        await page.keyboard.press("Tab");
        const { name } = await seen(`on the way to ${wanted}`);
        if (wanted.test(name)) return;
      }
      throw new Error(`nothing named ${wanted} can be reached with the tabulator`);
    },
    /** By the tabulator backwards. */
    backTo: async (wanted: RegExp) => {
      for (let step = 0; step < mostSteps; step++) {
        await page.keyboard.press("Shift+Tab");
        const { name } = await seen(`on the way back to ${wanted}`);
        if (wanted.test(name)) return;
      }
      throw new Error(`nothing named ${wanted} can be reached backwards`);
    },
    /** What had the focus may be gone by now. */
    kept: (where: string) => expect.poll(look, { message: where, timeout: 60_000 }).not.toBeNull(),
    seen,
  };
}

browserGroup("the console without a mouse", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-4712" })]);
  });
  beforeEach(async () => stage.calm());
  afterAll(async () => stage.close());

  test.each([1280, 390])(
    "a stuck delivery is found, mended and sent with the keyboard alone, and the focus is always in sight, %i pixels wide",
    async (width) => {
      await stage.place("SO-4712", 13);
      await stage.settled(1);
      const { page, trouble } = await newTab({ width });
      const keyboard = keyboardOf(page);
      const enter = () => page.keyboard.press("Enter");
      await page.goto(stage.url);
      await page.getByRole("heading", { name: "Sign in to Crossdock" }).waitFor();
      await keyboard.to(/^API key/);
      await page.keyboard.type(apiKey);
      await keyboard.to(/^Your name/);
      await page.keyboard.type("Kim");
      await enter();
      await page.getByRole("link", { name: /Needs attention/ }).waitFor();
      await keyboard.kept("after signing in");
      await keyboard.to(/Needs attention/);
      await enter();
      await page.getByRole("button", { name: /Said no erp 422/ }).waitFor();
      await keyboard.kept("among the deliveries");
      await keyboard.to(/Said no.*422/s);
      await enter();
      await page.getByRole("link", { name: /^#\d+/ }).waitFor();
      await keyboard.to(/^#\d+/);
      await enter();
      await page.getByText("the bin is locked").first().waitFor();
      await keyboard.kept("at the entry");
      await keyboard.to(/^Edit$/);
      await enter();
      await page.getByRole("dialog").waitFor();
      await keyboard.seen("in the dialog");
      await keyboard.to(/^Content that will be sent/);
      const content = page.getByLabel("Content that will be sent");
      const lines = (await content.inputValue()).split("\n");
      const line = lines.findIndex((one) => one.includes("13"));
      await page.keyboard.press("Control+Home");
      for (let row = 0; row < line; row++) await page.keyboard.press("ArrowDown");
      for (let column = 0; column < (lines[line] ?? "").indexOf("13") + 2; column++) {
        await page.keyboard.press("ArrowRight");
      }
      await page.keyboard.press("Backspace");
      await page.keyboard.type("2");
      await page.getByText("The content is valid.").waitFor();
      await keyboard.to(/^Reason/);
      await page.keyboard.type("counted again");
      await keyboard.to(/^Save and send$/);
      await enter();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await stage.settled(0);
      await page.getByRole("heading", { name: "delivered", exact: false }).first().waitFor();
      await keyboard.kept("after it was sent");
      // From there it goes on: the next step is near, and not at the top of the page.
      await keyboard.to(/^Send again$/);
      expect(trouble).toEqual([]);
    },
  );

  test("Escape leaves a dialog, and the focus is where it was", async () => {
    await stage.place("SO-4712", 13);
    await stage.settled(1);
    const { page } = await newTab();
    const keyboard = keyboardOf(page);
    const { request } = page;
    const data = { key: apiKey, name: "Kim" };
    await request.post(`${stage.url}/admin/session`, { data, headers: { origin: stage.url } });
    await page.goto(`${stage.url}/console/deliveries`);
    await page.getByRole("button", { name: "Skip all" }).waitFor();
    await keyboard.to(/^Skip all$/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    // Every place that has the focus from here on, however shortly: a screen reader would read it aloud.
    await page.evaluate(
      'window.places = []; addEventListener("focusin", ({ target }) => places.push(target.textContent))',
    );
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await keyboard.seen("after Escape")).name).toBe("Skip all");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    expect(new Set((await page.evaluate("places")) as string[])).toEqual(new Set(["Skip all"]));
  });

  test.each([
    [1280, 700],
    [900, 600],
  ])(
    "whoever goes back never has the focus below the head of the page, in a window of %i by %i",
    async (width, height) => {
      const { page } = await newTab({ width });
      await page.setViewportSize({ width, height });
      await signIn(page, stage.url);
      await page.goto(`${stage.url}/console/connect/erp`);
      await page.getByLabel("baseUrl", { exact: true }).waitFor();
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      await page.getByRole("link", { name: "API reference" }).focus();
      await keyboardOf(page).backTo(/^Sign out$/);
    },
  );

  test("what is chosen can be told from what is not, also in colours that the person has set for all pages", async () => {
    const { page } = await newTab();
    await page.emulateMedia({ forcedColors: "active" });
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries`);
    const lookOf = (name: string, role: "button" | "link" = "button") =>
      page
        .getByRole(role, { name, exact: true })
        .evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).backgroundColor);
    await page.getByRole("button", { name: "All", exact: true }).waitFor();
    expect(await lookOf("All")).not.toBe(await lookOf("Said no"));
    expect(await lookOf("Deliveries", "link")).not.toBe(await lookOf("Orders", "link"));
  });
});
