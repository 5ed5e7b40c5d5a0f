import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { browserGroup, expectAccessible } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

browserGroup("what was kept only in part", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([stage.order({ number: "SO-1" })]);
    await stage.place("SO-1", 13);
    await stage.settled(1);
  });
  afterAll(async () => stage.close());

  const deadEntry = async () =>
    ((await stage.get("journal?state=dead")) as { entries: { seq: number }[] }).entries[0]?.seq ?? 0;

  test("a long request is said to be cut and cannot be copied as curl; one with a masked secret can", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/entries/${await deadEntry()}`);
    await page.getByRole("button", { name: "Copy as curl" }).waitFor();
    // Of one request, nobody needs the name of the step.
    expect(await page.getByText("step1").count()).toBe(0);
    const exchange = {
      ...{ sentAt: "2026-11-16T10:00:00.000Z", step: null, skipped: null, to: "POST http://erp/x", headers: {} },
      answer: null,
    };
    await page.route(/\/admin\/journal\/\d+/, async (route) => {
      const answer = await route.fetch();
      const entry = await answer.json();
      const exchanges = [
        { ...exchange, body: { text: '{"part":"of it', bytes: 90_000 } },
        { ...exchange, body: { text: '{"token":"***"}', bytes: 40 } },
        { ...exchange, body: null, to: "", step: "book", skipped: "its condition is not met" },
        { ...exchange, body: null, to: "(7 more were sent and are not recorded)" },
      ];
      const attemptLog = [{ ...entry.attemptLog[0], exchanges }];
      await route.fulfill({ response: answer, json: { ...entry, attemptLog } });
    });
    await page.goto(`${stage.url}/console/entries/${await deadEntry()}`);
    await page.getByText("Only the beginning was kept of 90,000 bytes.").waitFor();
    expect(await page.getByText(/Only the beginning/).count()).toBe(1);
    expect(await page.getByRole("button", { name: "Copy as curl" }).count()).toBe(1);
    await page.getByText("book Nothing was sent: its condition is not met").waitFor();
    await page.getByText("(7 more were sent and are not recorded)").waitFor();
    // Of the two requests only.
    expect(await page.getByText("No answer came.").count()).toBe(2);
    await expectAccessible(page, "exchanges that were kept in part");
    await page.getByLabel("Language").selectOption("de");
    await page.getByText("book Nichts wurde gesendet: seine Bedingung ist nicht erfüllt").waitFor();
    await page.getByText("(7 weitere wurden gesendet und sind nicht aufgezeichnet)").waitFor();
    expect(trouble).toEqual([]);
  });

  test("a record that was too long to be kept says what to do, and is not offered to be corrected here", async () => {
    const lines = Array.from({ length: 1_500 }, (_, index) => ({ pos: `${index}`, item: "A-100", qty: "many" }));
    stage.erp.orders = [{ no: "LONG-1", due: "2030-01-31", lines }];
    const total = async () => ((await stage.get("quarantine")) as { total: number }).total;
    await vi.waitFor(async () => expect(await total()).toBe(1), 60_000);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/quarantine`);
    await page.getByRole("button", { name: /LONG-1/ }).click();
    await page.getByText("The record was too long to be kept whole").waitFor();
    await page.getByRole("button", { name: "Drop the record" }).waitFor();
    expect(await page.getByRole("button", { name: "Correct and retry" }).count()).toBe(0);
    await expectAccessible(page, "a record that was kept in part");
    expect(trouble).toEqual([]);
  });
});
