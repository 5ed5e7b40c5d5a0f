import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup, expectAccessible } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

/** As some ERPs answer: the sentence for people deep inside, beside numbers that differ from entry to entry. */
const answer = (sentence: string) => ({
  error: { code: -1116, message: { lang: "en-us", value: sentence } },
  trace: "x".repeat(3_000),
});

browserGroup("what an ERP says in JSON", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    stage.erp.refusalBody = answer('The bin "cold" falls below zero');
    await stage.push([stage.order({ number: "SO-1" })]);
    await stage.place("SO-1", 13);
    await stage.settled(1);
  });
  afterAll(async () => stage.close());

  test("its sentence comes first, on the overview and among the deliveries, and the rest on opening", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByText('422 The bin "cold" falls below zero', { exact: true }).waitFor();
    expect(await page.getByText("en-us").isVisible()).toBe(false);
    await page.getByText("The whole error").click();
    await page.getByText("en-us").waitFor();
    await expectAccessible(page, "the last error of a system");
    await page.goto(`${stage.url}/console/deliveries`);
    await page.locator("strong", { hasText: "falls below zero" }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("without a sentence, the overview says why it is an error", async () => {
    stage.erp.refusalBody = { code: 7, items: [1, 2, 3] };
    await stage.place("SO-2", 13);
    await stage.settled(2);
    const { page, trouble } = await newTab({ language: "de" });
    await signIn(page, stage.url, { heading: "Übersicht" });
    await page.getByText("Status 422", { exact: true }).waitFor();
    expect(await page.getByText('"items"').isVisible()).toBe(false);
    expect(trouble).toEqual([]);
  });
});
