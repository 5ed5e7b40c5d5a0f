import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { byForm } from "../support/long-form.ts";
import { browserGroup } from "./browser.ts";
import { openStage, signIn } from "./console-stage.ts";

const run = "window.executed=1";
/** What a platform, an ERP or a file could bring in place of a name. */
const payloads: readonly string[] = [
  ...["script", "SCRIPT", "scr<script>ipt"].map((tag) => `<${tag}>${run}</${tag}>`),
  ...["img src=x onerror", "svg onload", "body onload", "details open ontoggle", "video src=x onerror"].map(
    (tag) => `<${tag}=${run}>`,
  ),
  ...["input autofocus onfocus", "marquee onstart", "audio src=x onerror", "select autofocus onfocus"].map(
    (tag) => `<${tag}="${run}">`,
  ),
  ...['"', "'", "`", "-->", "]]>", "</title>", "</textarea>", "</style>", "</noscript>", "</pre>"].map(
    (end) => `${end}<img src=x onerror=${run}>`,
  ),
  ...["javascript:", "JaVaScRiPt:", "java\tscript:", "data:text/html,", "vbscript:"].map(
    (scheme) => `<a href="${scheme}${run}" id=x>x</a>`,
  ),
  ...["iframe srcdoc", "object data", "embed src", "form action", "base href", "link rel=import href"].map(
    (tag) => `<${tag}="javascript:${run}">`,
  ),
  ...['" onmouseover="', "' onfocus='", '" autofocus onfocus="', '" style="x:expression(', "\u2028", "\u202e"].map(
    (start) => `${start}${run}`,
  ),
  ...["{{", "${", "#{", "<%=", "[[", "{%"].map((start) => `${start}constructor.constructor('${run}')()}}`),
  ...["&lt;script&gt;", "%3Cscript%3E", "\\u003cscript\\u003e", "\\x3cscript\\x3e", "&#60;script&#62;"].map(
    (tag) => `${tag}${run}`,
  ),
  `<math><mtext></mtext><mglyph><style><img src=x onerror=${run}>`,
  `<svg><script href="data:,${run}" /></svg>`,
  `<svg><animate onbegin=${run} attributeName=x dur=1s>`,
  `<style>@import "javascript:${run}";</style>`,
  `<meta http-equiv=refresh content="0;url=javascript:${run}">`,
  `<template><script>${run}</script></template>`,
  `=HYPERLINK("javascript:${run}")`,
  `__proto__`,
  `<img src="x" onerror=${run}//`,
  `<x onclick=${run} tabindex=1 autofocus onfocus=${run}>`,
];

/** The lists show all of them; the pages behind a list differ in their texts only. */
const everyNth = byForm({ gate: 4, long: 1 });
const openedOnes = [...payloads.entries()].filter(([index]) => index % everyNth === 0);

/** Runs in the page: the records as they are shown, without what is said about them. */
const shownRecords = `[...document.querySelectorAll(".panel pre")].map((record) =>
  [...record.childNodes].filter((node) => node.className !== "note").map((node) => node.textContent).join(""))`;

browserGroup("hostile texts in the console", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  /** As an identifier: those of a push hold no control characters. */
  const idOf = (text: string) => text.replaceAll("\t", " ");
  const numberOf = (index: number) => `${idOf(payloads[index] ?? "").trim()} ${index}`;
  const whole = "ALL-OF-THEM";
  beforeAll(async () => {
    stage = await openStage();
    stage.erp.isCross = true;
    const orders = payloads.map((text, index) =>
      stage.order({
        ...{ number: numberOf(index), externalIdentifier: `${idOf(text)} external`, description: text },
        requests: [{ requestExternalIdentifier: idOf(text), itemNumber: `${idOf(text)} item`, requestedAmount: 1 }],
      }),
    );
    const lines = payloads.map((text, index) => ({
      ...{ requestExternalIdentifier: `${index} ${idOf(text)}`, itemNumber: `${idOf(text)} item`, requestedAmount: 1 },
    }));
    await stage.push([...orders, stage.order({ number: whole, requests: lines })]);
    for (const [index, text] of payloads.entries()) {
      stage.erp.refusal = text;
      await stage.place(numberOf(index), 1, `${idOf(text)} item`, `${text} operator`);
      await stage.attach(whole, `${text} tote ${index}`);
    }
    await stage.settled(payloads.length);
    const dead = (await stage.get("journal?state=dead&limit=500")) as { entries: { seq: number; orders: string[] }[] };
    for (const [index, text] of payloads.entries()) {
      const seq = dead.entries.find(({ orders: [own] }) => own === numberOf(index))?.seq;
      stage.erp.refusal = text;
      await stage.post(`journal/${seq}/retry`, { operator: `${text.trim()} person`, reason: `${text.trim()} reason` });
      // Before the ERP gets other words: the answer that is looked at later must be this one.
      await stage.settled(payloads.length);
      await stage.post("targets/erp/resume", { operator: `${text.trim()} person`, reason: `${text.trim()} reason` });
    }
    await stage.settled(payloads.length);
    stage.erp.orders = payloads.map((text, index) => ({
      ...{ no: `Q${index} ${text}`, due: "2030-01-31", lines: [{ pos: text, item: text, qty: `${text} many` }] },
    }));
    const quarantined = async () => ((await stage.get("quarantine")) as { total: number }).total;
    await vi.waitFor(async () => expect(await quarantined()).toBe(payloads.length), 60_000);
  });
  afterAll(async () => stage.close());

  /** White space is shown as the browser shows it everywhere. */
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  const opened = async (open: (page: Page) => Promise<void>) => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await open(page);
    expect(await page.evaluate("window.executed ?? 0")).toBe(0);
    expect(trouble).toEqual([]);
  };
  /** By the address, as a link within the page would: a whole load for each would take minutes. */
  const follow = async (page: Page, path: string) => {
    const to = JSON.stringify(`${stage.url}/console/${path}`);
    await page.evaluate(`history.pushState(null, "", ${to}); dispatchEvent(new PopStateEvent("popstate"))`);
  };
  const expectShown = async (page: Page, place: string, expected: readonly string[]) => {
    const shown = (await page.locator(place).allTextContents()).map(plain);
    const missing = expected.map(plain).filter((text) => !shown.some((one) => one.includes(text)));
    expect({ place, missing }).toEqual({ place, missing: [] });
  };

  test("there are at least sixty of them", () => {
    expect(new Set(payloads).size).toBeGreaterThanOrEqual(60);
  });

  test("no text of an order, item, container or operator runs, and each is shown as it came", () =>
    opened(async (page) => {
      await page.goto(`${stage.url}/console/orders`);
      await expect.poll(() => page.locator("tbody tr").count()).toBe(payloads.length + 1);
      const shown = await page.locator("tbody th a").allTextContents();
      expect(shown.toSorted()).toEqual([...payloads.map((_text, index) => numberOf(index)), whole].toSorted());
      await page.goto(`${stage.url}/console/orders/${whole}`);
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      await page.getByRole("button", { name: /more lines$/ }).click();
      await expectShown(
        page,
        "table.list tbody th",
        payloads.map((text) => `${text} item`),
      );
      await expectShown(
        page,
        "main",
        payloads.map((text, index) => `${text} tote ${index}`),
      );
      for (const [index, text] of openedOnes) {
        await follow(page, `orders/${encodeURIComponent(numberOf(index))}`);
        await page.getByRole("heading", { level: 1, name: "Order" }).waitFor();
        await expect.poll(() => page.locator("h1 span").textContent()).toBe(numberOf(index));
        await page.getByRole("button", { name: /^Call/ }).first().click();
        await page.getByText("Request sent").first().waitFor();
        await expectShown(page, "dl.facts dd", [`${text} external`, `${text} operator`]);
        await expectShown(page, "table.list tbody th", [`${text} item`]);
      }
      await page.goto(`${stage.url}/console/orders?q=${encodeURIComponent(payloads[3] ?? "")}`);
      await page.locator("tbody tr").first().waitFor();
      await page.goto(`${stage.url}/console/entries/${encodeURIComponent(payloads[3] ?? "")}`);
      await page.getByRole("alert").waitFor();
    }));

  test("no answer of an ERP, name of a person or reason runs, and each is shown as it came", () =>
    opened(async (page) => {
      await page.getByText("Last error").first().waitFor();
      await page.goto(`${stage.url}/console/deliveries?failure=refused`);
      await page.locator(".group").first().waitFor();
      const groups = page.locator(".group > .group-head > button");
      // A cause is the answer without what differs from entry to entry, such as its digits.
      const failures = (await stage.get("deliveries?failure=refused")) as { groups: { text: string }[]; count: number };
      expect(failures).toMatchObject({ count: payloads.length, groups: expect.arrayContaining([expect.anything()]) });
      await expectShown(
        page,
        ".group > .group-head > button",
        failures.groups.map(({ text }) => text),
      );
      const causes = await groups.count();
      for (let at = 0; at < causes; at++) {
        await groups.nth(at).click();
        await page.locator(".group table tbody tr").first().waitFor();
        await groups.nth(at).click();
        await page.locator(".group table").waitFor({ state: "detached" });
      }
      await page.getByText("Who did what").click();
      await expectShown(
        page,
        "main li",
        payloads.map((text) => `${text.trim()} person resumed: erp (${text.trim()} reason)`),
      );
      const { entries } = (await stage.get("journal?state=dead&limit=500&show=personal")) as {
        entries: { seq: number; orders: string[] }[];
      };
      const seqOf = new Map(entries.map(({ seq, orders: [order] }) => [order, seq]));
      for (const [index, text] of openedOnes) {
        await follow(page, `entries/${seqOf.get(numberOf(index))}`);
        await page.getByRole("heading", { level: 1, name: `#${seqOf.get(numberOf(index))}` }).waitFor();
        await page.locator(".panel .exchange").first().waitFor();
        await expectShown(page, ".panel", [`${text.trim()} person`, `${text.trim()} reason`, `${text} operator`]);
        const answer = (await page.locator(".panel .exchange pre").allTextContents()).join();
        expect(answer).toContain(JSON.stringify(text).slice(1, -1));
      }
    }));

  test("no record in quarantine runs, and each is shown as it came", () =>
    opened(async (page) => {
      await page
        .getByRole("link", { name: /Quarantine$/ })
        .first()
        .click();
      await page.locator(".group").first().waitFor();
      await expectShown(
        page,
        ".group b",
        payloads.map((text, index) => `Q${index} ${text}`),
      );
      const groups = page.locator(".group > button");
      for (const [at] of openedOnes) {
        await groups.nth(at).click();
        await page.locator(".panel pre").last().waitFor();
        const name = plain((await page.locator(".group b").nth(at).textContent()) ?? "");
        const records = await page.evaluate<string[]>(shownRecords);
        const [sent, checked] = records.map((text) => JSON.parse(text.replaceAll(": –", ": null")));
        expect([plain(sent.no), plain(checked.number)]).toEqual([name, name]);
        await groups.nth(at).click();
      }
    }));

  test("no cell of a file runs, and each is shown as it came", () =>
    opened(async (page) => {
      await page.getByRole("link", { name: "Files", exact: true }).click();
      const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const rows = payloads.map((text, index) => `${cell(numberOf(index))};2030-01-31;${cell(`${text} item`)};many`);
      const header = `Order;Due date;Item;Quantity;${cell(payloads[3] ?? "")}`;
      const buffer = Buffer.from([header, ...rows.map((row) => `${row};x`)].join("\n"));
      const chosen = { name: `${payloads[3]}.csv`, mimeType: "text/csv", buffer };
      await page.getByLabel("Drop a CSV or JSON file here").setInputFiles(chosen);
      await page.getByRole("heading", { name: /problems/ }).waitFor();
      const cells: string[] = await page.evaluate(
        '[...document.querySelectorAll("table input")].map((one) => one.value)',
      );
      const missing = payloads.filter((text) => !cells.some((one) => plain(one) === plain(`${text} item`)));
      expect(missing).toEqual([]);
    }));
});
