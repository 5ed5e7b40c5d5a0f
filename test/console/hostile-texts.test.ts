import { afterAll, beforeAll, expect, test } from "vitest";
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

browserGroup("hostile texts in the console", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  const numberOf = (index: number) => `${payloads[index]?.trim()} ${index}`;
  beforeAll(async () => {
    stage = await openStage();
    stage.erp.isCross = true;
    const orders = payloads.map((text, index) =>
      stage.order({
        ...{ number: numberOf(index), externalIdentifier: `${text} external`, description: text },
        requests: [{ requestExternalIdentifier: text, itemNumber: `${text} item`, requestedAmount: 1 }],
      }),
    );
    await stage.push(orders);
    for (const [index, text] of payloads.entries()) {
      stage.erp.refusal = text;
      await stage.place(numberOf(index), 1, `${text} item`);
    }
    await stage.settled(payloads.length);
  });
  afterAll(async () => stage.close());

  test("no text that comes from outside runs in any view, and each is shown as it came", async () => {
    expect(payloads.length).toBeGreaterThanOrEqual(60);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    const executed = () => page.evaluate("window.executed ?? 0");
    await page.goto(`${stage.url}/console/orders`);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(payloads.length);
    const shown = await page.locator("tbody th a").allTextContents();
    const expected = payloads.map((_text, index) => numberOf(index));
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(await executed()).toBe(0);
    for (const index of [0, 3, 12, 22, 30, 34, 44, 52]) {
      await page.goto(`${stage.url}/console/orders/${encodeURIComponent(numberOf(index))}`);
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      const heading = await page.locator("h1 span").textContent();
      expect(heading).toBe(numberOf(index));
      await page.getByRole("button", { name: /^Call/ }).first().click();
      await page.getByText("Request sent").first().waitFor();
      expect(await executed()).toBe(0);
    }
    await page.goto(`${stage.url}/console/deliveries`);
    await page.locator(".group").first().waitFor();
    for (const group of (await page.locator(".group > .group-head > button").all()).slice(0, 5)) await group.click();
    await page.goto(`${stage.url}/console/orders?q=${encodeURIComponent(payloads[3] ?? "")}`);
    await page.locator("tbody tr").first().waitFor();
    await page.goto(`${stage.url}/console/entries/${encodeURIComponent(payloads[3] ?? "")}`);
    await page.getByRole("alert").waitFor();
    expect(await executed()).toBe(0);
    expect(trouble).toEqual([]);
  });
});
