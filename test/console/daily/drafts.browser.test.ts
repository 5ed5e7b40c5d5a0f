import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { browserGroup, expectAccessible, leavingPage } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

const drafts = (page: Page) =>
  page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('draft ')).length");
const offer = (page: Page) => page.getByText(/You typed something here/);
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

browserGroup("text that was typed and not sent", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-4712" })]);
  });
  beforeEach(async () => stage.calm());
  afterAll(async () => stage.close());

  const deadEntry = async () => {
    await stage.place("SO-4712", 13);
    await stage.settled(1);
    return ((await stage.get("journal?state=dead")) as { entries: { seq: number }[] }).entries[0]?.seq ?? 0;
  };
  const typeEdit = async (page: Page) => {
    await press(page, "Edit");
    const content = page.getByLabel("Content that will be sent");
    await content.fill((await content.inputValue()).replace("13", "11"));
    await page.getByLabel(/^Reason/).fill("counted once more");
  };

  test("an edit survives a reload and a step back, is offered again, and is forgotten once it is sent", async () => {
    const seq = await deadEntry();
    const { page: first, context } = await newTab();
    await signIn(first, stage.url);
    const { page, asked } = await leavingPage(context);
    await page.goto(`${stage.url}/console/deliveries`);
    await page.evaluate(`history.pushState(null, "", "entries/${seq}"); dispatchEvent(new PopStateEvent("popstate"))`);
    await typeEdit(page);
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
    await offer(page).waitFor();
    await expectAccessible(page, "an offer of what was typed");
    await press(page, "Continue");
    const content = page.getByLabel("Content that will be sent");
    expect(await content.inputValue()).toContain("11");
    expect(await page.getByLabel(/^Reason/).inputValue()).toBe("counted once more");
    await page.getByText(/is here again/).waitFor();
    await expectAccessible(page, "what was typed is here again", "dialog");
    await page.goBack();
    await page.getByRole("heading", { name: "Deliveries" }).waitFor();
    await page.goForward();
    await offer(page).waitFor();
    await press(page, "Continue");
    await page.getByText("The content is valid.").waitFor();
    await press(page, "Save and send");
    await stage.settled(0);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect([await drafts(page), await offer(page).count()]).toEqual([0, 0]);
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
  });

  test("what was typed can be discarded, and started over", async () => {
    const seq = await deadEntry();
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/entries/${seq}`);
    await typeEdit(page);
    await page.keyboard.press("Escape");
    await press(page, "Continue");
    await press(page, "Start over");
    expect(await page.getByLabel("Content that will be sent").inputValue()).toContain("13");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await offer(page).count()).toBe(0);
    await typeEdit(page);
    await page.keyboard.press("Escape");
    await press(page, "Discard it");
    expect([await drafts(page), await offer(page).count()]).toEqual([0, 0]);
  });

  test("neither signing out nor somebody else at the same tab leaves or finds what was typed", async () => {
    const seq = await deadEntry();
    const { page, context } = await newTab();
    const typed = async () => {
      await page.goto(`${stage.url}/console/entries/${seq}`);
      await typeEdit(page);
      await page.keyboard.press("Escape");
      await offer(page).waitFor();
    };
    await signIn(page, stage.url);
    await typed();
    await press(page, "Sign out");
    await page.getByRole("heading", { name: "Sign in to Crossdock" }).waitFor();
    expect(await drafts(page)).toBe(0);
    await signIn(page, stage.url);
    await typed();
    await context.clearCookies();
    await signIn(page, stage.url, { name: "Lee" });
    await page.goto(`${stage.url}/console/entries/${seq}`);
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    expect([await drafts(page), await offer(page).count()]).toEqual([0, 0]);
  });

  test("a record stays in reach while its dialog is open and two hundred others arrive, and by its address", async () => {
    const bad = (no: string) => ({ no, due: "2030-01-31", lines: [{ pos: "1", item: "A-100", qty: "many" }] });
    const total = async () => ((await stage.get("quarantine")) as { total: number }).total;
    stage.erp.orders = [bad("OLD-1")];
    await vi.waitFor(async () => expect(await total()).toBe(1), 60_000);
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/quarantine`);
    await page.getByRole("button", { name: /OLD-1/ }).click();
    await press(page, "Correct and retry");
    const record = page.getByRole("textbox", { name: "The record as it was checked" });
    await record.fill('{ "typed": "before" }');
    stage.erp.orders = Array.from({ length: 205 }, (_, index) => bad(`NEW-${index}`));
    await page.getByText("206 records").waitFor();
    expect(await record.inputValue()).toContain("typed");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await offer(page).waitFor();
    // The same in a new tab that only has the address, but not the text: it belongs to the tab.
    const { page: other, context } = await newTab();
    await signIn(other, stage.url);
    const shared = await context.newPage();
    await shared.goto(page.url());
    await shared.getByRole("button", { name: /OLD-1/ }).waitFor();
    await shared.getByRole("heading", { name: "What is wrong" }).waitFor();
    expect(await offer(shared).count()).toBe(0);
    await expectAccessible(shared, "a record that is not on this page");
    await shared.goto(`${stage.url}/console/quarantine`);
    await shared.getByRole("button", { name: /NEW-204/ }).waitFor();
    expect(await shared.getByRole("button", { name: /OLD-1/ }).count()).toBe(0);
    await shared.getByRole("link", { name: "Older" }).click();
    await shared.getByRole("button", { name: /OLD-1/ }).waitFor();
    await shared.getByRole("link", { name: "Newest" }).click();
    await shared.getByRole("button", { name: /NEW-204/ }).waitFor();
  });
});
