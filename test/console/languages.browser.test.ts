import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ConsoleText, consoleTexts } from "../../console/texts/catalogue.ts";
import { catalogue } from "../../src/messages/catalogue.ts";
import { type Language, languages, type Texts } from "../../src/messages/languages.ts";
import { phraseTexts } from "../../src/messages/phrases/phrase-catalogue.ts";
import { connectorProblemTexts } from "../../src/messages/setup/connector-problem-texts.ts";
import { descriptionTexts } from "../../src/messages/setup/description-texts.ts";
import { fileProblemTexts } from "../../src/messages/setup/file-problem-texts.ts";
import { hintTexts } from "../../src/messages/setup/hint-texts.ts";
import { byForm } from "../support/long-form.ts";
import { browserGroup, expectAccessible } from "./browser.ts";
import { openStage, signIn } from "./console-stage.ts";

/** What is always said in a text, without what is filled in. Short pieces are words that other languages have too. */
const pieces = (text: string): readonly string[] =>
  text
    .split(/\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|`[^`]*`/)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= 8 && /[a-z] [a-z]/i.test(piece));

const allTexts: readonly (readonly [string, Texts])[] = [
  ...Object.entries<Texts>(consoleTexts),
  ...Object.entries<Texts>(phraseTexts),
  ...Object.entries<Texts>(catalogue),
  ...[descriptionTexts, fileProblemTexts, connectorProblemTexts, hintTexts].flat().map((one) => [one.en, one] as const),
];

/** Pieces of English texts that no text of this language has. */
function foreignPieces(language: Language): readonly (readonly [key: string, piece: string])[] {
  const own = allTexts.map(([, texts]) => texts[language]).join("\n");
  return allTexts.flatMap(([key, { en }]) =>
    pieces(en).flatMap((piece) => (own.includes(piece) ? [] : [[key, piece] as const])),
  );
}

/** Every text that a person can see or hear, but for content as it was stored, and parts that say themselves that they are English. */
const visible = `[...document.querySelectorAll("body *")]
  .filter((one) => one.closest("[lang=en]:not(html), script, style, pre") === null && !one.closest("[hidden]"))
  .flatMap((one) => [
    ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent),
    ...["aria-label", "title", "placeholder"].map((name) => one.getAttribute(name) ?? ""),
  ])
  .filter((text) => text.trim() !== "")
  .join("\\n")`;

/** A simulated floor that has ended with a finding, without waiting for one. */
const endedRun = {
  ...{ kind: "simulate", startedAt: "2026-11-16T10:00:00.000Z", startedBy: "Kim", state: "findings", output: ["done"] },
  report: {
    ...{ seconds: 12, gaveUp: "nobody answered", findingCount: 22, doubts: [], amounts: { placed: 40 } },
    ...{ orders: { worked: 20 }, calls: { count: 300, p95Ms: 12 } },
    findings: [{ kind: "report", order: "N1", item: "A", text: "differs", expected: "2", found: "1" }],
  },
};

browserGroup("the console in every language", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  let dead = 0;
  beforeAll(async () => {
    stage = await openStage();
    const isDead = () => vi.waitFor(async () => expect(await stage.counts()).toMatchObject({ dead: 1 }), 60_000);
    const line = { requestExternalIdentifier: "10", itemNumber: "A-100", requestedAmount: 4 };
    await stage.push([stage.order({ number: "SO-1", requests: [line] }), stage.order({ number: "SO-2" })]);
    await stage.attach("SO-1", "TOTE-1");
    await stage.place("SO-1", 2);
    await stage.reduce("SO-1", "A-100", 3);
    await stage.cancel("SO-2", "A-100");
    await stage.place("SO-2", 13);
    await isDead();
    dead = ((await stage.get("journal?state=dead")) as { entries: { seq: number }[] }).entries[0]?.seq ?? 0;
    await stage.post(`journal/${dead}/retry`, { operator: "Kim", reason: "42" });
    await isDead();
    await stage.place("SO-2", 1);
    stage.erp.orders = [{ no: "SO-9", due: "2030-01-31", lines: [{ pos: "1", item: "A-100", qty: "many" }] }];
    const total = async () => ((await stage.get("quarantine")) as { total: number }).total;
    await vi.waitFor(async () => expect(await total()).toBe(1), 60_000);
    // Something of each kind for the audit.
    stage.erp.orders = [];
    await stage.post("targets/erp/pause", {});
    await stage.post("targets/erp/resume", {});
    await stage.post("alarms/test", {});
    stage.erp.isSilent = true;
    await stage.place("SO-1", 1);
    await vi.waitFor(async () => expect(await stage.counts()).toMatchObject({ retry: 1 }), 60_000);
  });
  afterAll(async () => stage.close());

  const follow = async (page: Page, path: string) => {
    const to = JSON.stringify(`${stage.url}/console/${path}`);
    await page.evaluate(`history.pushState(null, "", ${to}); dispatchEvent(new PopStateEvent("popstate"))`);
    await page.locator("main h1").first().waitFor();
    await page.locator(".loading").first().waitFor({ state: "detached" });
    // What is closed would not be looked at.
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
  };

  const views: readonly (readonly [path: string, press?: ConsoleText])[] = [
    ...([[""], ["orders"], ["orders?q=nothing-like-this"], ["orders/SO-1"], ["orders/SO-2"]] as const),
    ...([["orders/SO-1", "bundle.title"], ["orders/nobody"], ["entries/DEAD"], ["entries/999999"]] as const),
    ...([["deliveries"], ["deliveries?failure=refused"], ["deliveries?state=delivered,discarded"]] as const),
    ...([
      ["deliveries", "failure.retryAll"],
      ["deliveries", "failure.skipAll"],
    ] as const),
    ...([
      ["entries/DEAD", "act.edit"],
      ["entries/DEAD", "act.skip"],
    ] as const),
    ...([["quarantine"], ["quarantine?record=1"], ["quarantine?record=1", "quarantine.retry"]] as const),
    ...([["import"], ["connect"], ["connect/new?preset=mock-erp"], ["floor"], ["settings"], ["wall"]] as const),
    ["nowhere"],
  ];

  const others: readonly Language[] = languages.filter((language) => language !== "en");
  /**
   * In the gate the first language is looked at everywhere, and of the others each at its share of the views. A text that
   * is written into a page, or fetched without the language, is English in all of them; that no language lacks a text is
   * tested without a browser.
   */
  const viewsIn = (language: Language): typeof views => {
    const nth = others.indexOf(language);
    const share = views.filter((_, index) => index % (others.length - 1) === nth - 1);
    return byForm({ gate: nth === 0 ? views : share, long: views });
  };

  test.each(others)("no English sentence is left on the pages in %s", async (language) => {
    const { page, trouble } = await newTab({ language });
    const foreign = foreignPieces(language);
    const look = async (where: string) => {
      const shown = String(await page.evaluate(visible));
      const found = foreign.filter(([, piece]) => shown.includes(piece)).map(([key, piece]) => `${key}: ${piece}`);
      expect({ where, found }).toEqual({ where, found: [] });
    };
    await page.route("**/admin/floor", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { isProduction: false, run: endedRun } });
    });
    await page.goto(stage.url);
    await page.locator("main h1").waitFor();
    await look("sign in");
    await signIn(page, stage.url, { heading: consoleTexts["nav.overview"][language] });
    for (const [path, press] of viewsIn(language)) {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await follow(page, path.replace("DEAD", String(dead)));
      if (press !== undefined) {
        await page.getByRole("button", { name: consoleTexts[press][language], exact: true }).first().click();
        await page.getByRole("dialog").waitFor();
      }
      await look(`${path} ${press ?? ""}`);
    }
    await follow(page, "orders/SO-1");
    await page.getByRole("cell", { name: `4 ${consoleTexts["unit.Piece"][language]}`, exact: true }).waitFor();
    // A page is built alike in all languages.
    if (byForm({ gate: language === others[0], long: true })) await expectAccessible(page, language);
    expect(trouble).toEqual([]);
  });

  test("a reader loads one language besides English, and reads English where it cannot be loaded", async () => {
    const loadedIn = async (language: string) => {
      const { page, trouble } = await newTab({ language });
      const names: string[] = [];
      page.on("request", (request) => {
        const [, name] = /assets\/(\w\w)-[^/]*\.js$/.exec(request.url()) ?? [];
        if (name !== undefined) names.push(name);
      });
      await page.goto(stage.url);
      await page.locator("main h1").waitFor();
      expect(trouble).toEqual([]);
      return { page, names };
    };
    expect((await loadedIn("en")).names).toEqual([]);
    const { page, names } = await loadedIn("pl");
    expect(names).toEqual(["pl"]);
    expect(await page.locator("main h1").textContent()).toBe(consoleTexts["signIn.title"].pl);
    await page.route(/assets\/(pl|fr)-/, (route) => route.abort());
    await page.reload();
    await page.getByRole("heading", { name: consoleTexts["signIn.title"].en }).waitFor();
    await page.getByLabel("Language").selectOption("fr");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("heading", { name: consoleTexts["signIn.title"].de }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
  });

  test("another language is chosen on the page, and everything on it is said in that one", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await follow(page, "orders/SO-2");
    await page
      .getByText(/put at W-1 on the wall/)
      .first()
      .waitFor();
    const foreign = async () => {
      const shown = String(await page.evaluate(visible));
      return foreignPieces("fr").filter(([, piece]) => shown.includes(piece));
    };
    // The control: in English the same look finds a lot.
    expect((await foreign()).length).toBeGreaterThan(10);
    await page.getByLabel("Language").selectOption("fr");
    await page
      .getByText(/posés à W-1 sur le mur/)
      .first()
      .waitFor();
    await page
      .getByText(/la réponse du destinataire n’est pas un succès/)
      .first()
      .waitFor();
    // Texts that the adapter writes are there when it has answered again.
    await expect.poll(foreign, { timeout: 60_000 }).toEqual([]);
  });
});
