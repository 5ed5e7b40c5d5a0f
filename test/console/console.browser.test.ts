import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { browserGroup, expectAccessible, picture } from "./browser.ts";
import { openStage, signIn, signInByForm, viewerKey } from "./console-stage.ts";

browserGroup("the console in a browser", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    await stage.push([
      stage.order({
        ...{ number: "SO-4711", externalIdentifier: "PO-77" },
        requests: [
          { requestExternalIdentifier: "10", itemNumber: "A-100", requestedAmount: 4 },
          { requestExternalIdentifier: "20", itemNumber: "B-200", requestedAmount: 2 },
        ],
      }),
      stage.order({ number: "SO-4712" }),
      stage.order({ number: "SO-4713" }),
    ]);
    await stage.attach("SO-4711", "TOTE-17");
    await stage.place("SO-4711", 2);
    await stage.cancel("SO-4711", "B-200");
    await stage.place("SO-4711", 1);
    await stage.settled(0);
  });
  // A test that failed must not make the others fail.
  beforeEach(async () => stage.calm());
  afterAll(async () => stage.close());

  test("a person signs in with the key and a name; a wrong key says what to do", async () => {
    const { page, trouble } = await newTab();
    await page.goto(stage.url);
    await page.getByRole("heading", { name: "Sign in to Crossdock" }).waitFor();
    await expectAccessible(page, "sign in");
    await page.getByLabel("API key").fill("wrong");
    await page.getByLabel("Your name").fill("Kim");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("This key is not known here").waitFor();
    await signInByForm(page, stage.url);
    expect(await page.getByText("Kim").count()).toBe(1);
    expect(trouble).toEqual([]);
  });

  test("a new user finds a stuck delivery, sees why, mends it and sends it, by visible words alone", async () => {
    await stage.place("SO-4712", 13);
    await stage.settled(1);
    const { page, trouble } = await newTab();
    await signInByForm(page, stage.url);
    await picture(page, "console-overview");
    await page.getByRole("link", { name: /Needs attention/ }).click();
    await page.getByRole("button", { name: /Said no erp 422/ }).click();
    await picture(page, "console-deliveries");
    await expectAccessible(page, "deliveries");
    await page.getByRole("link", { name: /^#\d+/ }).click();
    await page.getByText("the bin is locked").first().waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    const content = page.getByLabel("Content that will be sent");
    await content.fill((await content.inputValue()).replace("13", "many"));
    await page.getByText("must be JSON").waitFor();
    await content.fill((await content.inputValue()).replace("many", "12"));
    await page.getByText("The content is valid.").waitFor();
    await page.getByLabel(/^Reason/).fill("counted again");
    await picture(page, "console-edit");
    await expectAccessible(page, "edit");
    await page.getByRole("button", { name: "Save and send" }).click();
    await page.getByRole("heading", { name: "delivered", exact: false }).first().waitFor();
    await page.getByText("Kim").nth(1).waitFor();
    await stage.settled(0);
    expect(trouble).toEqual([]);
  });

  test("what needs attention leads to every cause: said no, could not reach, and quarantine", async () => {
    stage.erp.orders = [{ no: "SO-9", due: "2030-01-31", lines: [{ pos: "1", item: "A-100", qty: "many" }] }];
    await stage.place("SO-4712", 13);
    await stage.settled(1);
    stage.erp.isSilent = true;
    await stage.place("SO-4713", 1);
    await vi.waitFor(async () => expect(await stage.counts()).toMatchObject({ retry: 1 }), 60_000);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: /^2 Needs attention/ }).click();
    await page.getByRole("button", { name: /Said no erp 422/ }).waitFor();
    await page.getByRole("button", { name: /Could not reach erp/ }).waitFor();
    expect(await page.getByRole("button", { name: /Waits behind/ }).count()).toBe(1);
    await expectAccessible(page, "needs attention");
    stage.erp.orders = [];
    await page.getByRole("link", { name: /^1 Quarantine erp/ }).click();
    await page.getByRole("button", { name: /SO-9 work order erp/ }).click();
    await page.getByText("connectors.erp.poll[0].map.requests.map.requestedAmount").waitFor();
    await expectAccessible(page, "a record in quarantine");
    await picture(page, "console-quarantine");
    await page.getByRole("button", { name: "Correct and retry" }).click();
    await page.getByLabel(/^Reason/).fill("counted by hand");
    await page.getByRole("button", { name: "Check and take in" }).click();
    await page.getByRole("dialog").getByText("requests[0].requestedAmount", { exact: true }).waitFor();
    await expectAccessible(page, "a record that is still wrong");
    const content = page.getByRole("textbox", { name: "The record as it was checked" });
    const fixed = JSON.parse(await content.inputValue());
    fixed.requests[0].requestedAmount = 3;
    await content.fill(JSON.stringify(fixed));
    await page.getByRole("button", { name: "Check and take in" }).click();
    await page.getByText("Nothing is in quarantine").waitFor();
    await page.goto(`${stage.url}/console/orders/SO-9`);
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByText("Who did what").click();
    await page.getByText("Kim tried again: work order SO-9 of erp (counted by hand)").waitFor();
    expect(trouble).toEqual([]);
  });

  test("everything delivered that the filter matches is sent again, after its number was shown", async () => {
    await stage.place("SO-4713", 2);
    await stage.place("SO-4713", 3);
    await stage.settled(0);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: "Delivered", exact: true }).click();
    await page.getByText("More filters").click();
    await page.getByLabel("Order", { exact: true }).fill("SO-4713");
    await page.keyboard.press("Enter");
    await page.getByLabel("What", { exact: true }).selectOption({ label: "put on the wall" });
    await expectAccessible(page, "delivered");
    const { entries } = (await stage.get(
      "journal?order=SO-4713&topic=confirmPutWallPlacement&state=delivered,discarded",
    )) as { entries: unknown[] };
    const count = entries.length;
    await page.getByRole("button", { name: "Send all again" }).click();
    await page.getByText(`This affects ${count} deliveries.`).waitFor();
    const before = stage.erp.received;
    await page.getByLabel(/^Reason/).fill("the ERP lost them");
    await page.getByRole("button", { name: `Send ${count} again` }).click();
    await page.getByText(`${count} done, 0 not possible`).waitFor();
    await vi.waitFor(() => expect(stage.erp.received).toBe(before + count), 60_000);
    expect(trouble).toEqual([]);
  });

  test("an order is found by any of its names, and its page tells what happened, down to the request that was sent", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByPlaceholder("Find an order …").fill("po-7");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "SO-4711" }).waitFor();
    await expectAccessible(page, "orders");
    await picture(page, "console-orders");
    await page.getByRole("link", { name: "SO-4711" }).click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await picture(page, "console-order");
    await page.getByRole("button", { name: "Support bundle" }).click();
    await page.getByLabel(/^Reason/).fill("ticket 5");
    await expectAccessible(page, "support bundle");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe("support-SO-4711.json");
    const bundle = readFileSync(await file.path(), "utf8");
    expect(JSON.parse(bundle)).toMatchObject({ order: { number: "SO-4711" } });
    expect(bundle).not.toContain("jo@example.com");
    await page
      .getByRole("button", { name: /Call #\d+ delivered put on the wall/ })
      .first()
      .click();
    await page.getByText("Request sent").waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).waitFor();
    await expectAccessible(page, "order");
    await picture(page, "console-entry");
    const address = page.url();
    await page.getByRole("button", { name: "ERP", exact: true }).click();
    expect(await page.getByRole("button", { name: /^Call/ }).count()).toBe(0);
    await page.goto(address);
    await page.getByText("Request sent").waitFor();
    expect(trouble).toEqual([]);
  });

  test("of a long history only the rows near are in the page, and each is reached by scrolling, key, search and address", async () => {
    const number = "SO-LONG";
    await stage.push([stage.order({ number, requests: [{ itemNumber: "A-100", requestedAmount: 400 }] })]);
    for (let amount = 399; amount > 270; amount--) await stage.reduce(number, "A-100", amount);
    const { events } = (await stage.get(`orders/${number}/timeline`)) as { events: { seq: number }[] };
    expect(events.length).toBeGreaterThan(350);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders/${number}`);
    const history = page.locator("section[aria-labelledby=timeline-title]");
    await history.getByRole("button", { name: /^Show \d+ older/ }).click();
    const rows = history.locator("li[aria-posinset]");
    await history.locator('li[aria-posinset="1"]').waitFor();
    expect(await rows.count()).toBeLessThan(events.length / 2);
    expect(await rows.first().getAttribute("aria-setsize")).toBe(String(events.length));
    await expectAccessible(page, "a long history");
    await page.keyboard.press("End");
    await history.locator(`li[aria-posinset="${events.length}"]`).waitFor();
    await expect.poll(() => history.locator('li[aria-posinset="1"]').count()).toBe(0);
    // Again until it is there: the browser may still be moving to the end, and would go on with that.
    const top = async () => {
      await page.keyboard.press("Home");
      return await page.evaluate("scrollY");
    };
    await expect.poll(top).toBe(0);
    await history.locator('li[aria-posinset="1"] button').focus();
    for (let pressed = 0; pressed < 30; pressed++) await page.keyboard.press("Tab");
    const place = await page.evaluate("document.activeElement?.closest('li')?.ariaPosInSet");
    expect(Number(place)).toBeGreaterThan(20);
    // The browser says this to a hidden text in which its search has found something.
    const hidden = history.locator("p[hidden=until-found]").last();
    const [first] = /#\d+/.exec((await hidden.textContent()) ?? "") ?? [];
    await hidden.dispatchEvent("beforematch");
    await history.getByText(`${first}`, { exact: true }).first().waitFor();
    const { seq } = events[3] ?? { seq: 0 };
    await page.goto(`${stage.url}/console/orders/${number}?entry=${seq}`);
    await page.getByRole("heading", { name: `#${seq}` }).waitFor();
    expect(await page.evaluate("scrollY")).toBeGreaterThan(0);
    expect(trouble).toEqual([]);
  });

  test("what happens on the floor appears without reloading", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/orders/SO-4713`);
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await stage.place("SO-4713", 3);
    await page.getByText("3 × A-100 put at W-1 on the wall").waitFor();
  });

  test("many deliveries with one cause are one row; the count comes first, and a reason is needed", async () => {
    stage.erp.isCross = true;
    for (let n = 0; n < 11; n++) await stage.place(`BULK-${n}`, 1);
    await stage.settled(11);
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: /11 Said no/ }).waitFor();
    stage.erp.isCross = false;
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    await page.getByText("This affects 11 deliveries.").waitFor();
    await expectAccessible(page, "retry");
    expect(await page.getByRole("button", { name: "Retry 11" }).isDisabled()).toBe(true);
    await page.getByLabel(/^Reason/).fill("the ERP was corrected");
    await page.getByRole("button", { name: "Retry 11" }).click();
    await page.getByText("11 done, 0 not possible").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("Nothing is waiting").waitFor();
    expect(trouble).toEqual([]);
  });

  test("deliveries to a system are held back and released again", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("paused", { exact: true }).waitFor();
    const before = stage.erp.received;
    await stage.place("SO-4713", 4);
    await page.getByText(/1 waiting/).waitFor();
    expect(stage.erp.received).toBe(before);
    await page.getByRole("button", { name: "Resume" }).click();
    await vi.waitFor(() => expect(stage.erp.received).toBe(before + 1), 60_000);
    await page.getByText("Who did what").click();
    await page.getByText("Kim resumed: erp").first().waitFor();
  });

  test("people and senders are listed without their keys, and a test alarm shows whether alarms arrive", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: "Configuration" }).click();
    await page.getByText("Vera viewer").waitFor();
    await page.getByText("shop apiKey").waitFor();
    // The table of all values has them too, and comes with an answer of its own.
    await page.getByText("senders.shop.auth.keys").waitFor();
    expect(await page.content()).not.toMatch(/viewer-key|shop-key|whsec_/);
    await page.getByLabel(/^Reason/).fill("new chat room");
    await page.getByRole("button", { name: "Send a test alarm" }).click();
    await page.getByText("webhook: the receiver has accepted it.").waitFor();
    expect(stage.erp.testAlarms).toHaveLength(1);
    expect(stage.erp.testAlarms[0]).toContain("sent by Kim from the console");
    stage.erp.isCross = true;
    await page.getByRole("button", { name: "Send a test alarm" }).click();
    await page.getByText(/webhook: not sent\. .* answered 500/).waitFor();
    await expectAccessible(page, "configuration with people and alarms");
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByText("Who did what").click();
    await page.getByText("Kim sent a test alarm: webhook failed (new chat room)").waitFor();
    expect(trouble).toEqual([]);
  });

  test("nothing typed is lost when the session ends in the middle of an edit", async () => {
    await stage.place("SO-4712", 13);
    await stage.settled(1);
    const { page, context } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/deliveries?failure=refused`);
    await page.getByRole("button", { name: /Said no erp 422/ }).click();
    await page.getByRole("link", { name: /^#\d+/ }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    const content = page.getByLabel("Content that will be sent");
    await content.fill((await content.inputValue()).replace("13", "11"));
    await page.getByLabel(/^Reason/).fill("counted once more");
    await page.getByText("The content is valid.").waitFor();
    await context.clearCookies();
    // The page may notice the end by itself before: a click would then wait behind that dialog until its time limit.
    await page.getByRole("button", { name: "Save and send" }).dispatchEvent("click");
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    await page.getByLabel("API key").fill("test-key");
    await page.getByLabel("Your name").fill("Kim");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor({ state: "detached" });
    expect(await content.inputValue()).toContain("11");
    await page.getByRole("button", { name: "Save and send" }).click();
    await stage.settled(0);
  });

  test("a viewer sees everything and can change nothing; signing out ends it in every tab", async () => {
    const { page, context } = await newTab();
    await signIn(page, stage.url, { key: viewerKey, name: "" });
    await page.getByText("viewer").waitFor();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("heading", { name: /^erp/ }).waitFor();
    expect(await page.getByRole("button", { name: /^(Pause|Retry|Skip)$/ }).count()).toBe(0);
    // A shared address of a page for others says why, and offers no try that cannot help.
    await page.goto(`${stage.url}/console/settings`);
    await page.getByRole("heading", { name: "You may not see this" }).first().waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    const second = await context.newPage();
    await second.goto(`${stage.url}/console/orders`);
    await second.getByRole("link", { name: "SO-4711" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Crossdock" }).waitFor();
    // It may notice the end by itself before: a click would then wait behind that dialog.
    await second.getByRole("link", { name: "Deliveries" }).dispatchEvent("click");
    await second.getByRole("heading", { name: /Your session has ended/ }).waitFor();
  });

  test("every page is accessible in dark colours, on a narrow screen and in another language", async () => {
    const { page, trouble } = await newTab({ width: 390, theme: "dark", language: "de" });
    await page.goto(stage.url);
    await page.getByLabel("API-Schlüssel").fill("test-key");
    await page.getByLabel("Ihr Name").fill("Kim");
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("heading", { name: "Übersicht" }).waitFor();
    for (const path of ["", "orders", "orders/SO-4711", "deliveries", "quarantine", "nowhere", "orders/nobody"]) {
      await page.goto(`${stage.url}/console/${path}`);
      await page.locator("main :is(h1, .empty)").first().waitFor();
      await page.waitForLoadState("load");
      await page.locator(".loading").first().waitFor({ state: "detached" });
      await expectAccessible(page, `${path} in dark colours`);
      const isWider = await page.evaluate("document.documentElement.scrollWidth > innerWidth + 1");
      expect({ path, isWider }).toEqual({ path, isWider: false });
      if (path === "orders/SO-4711") await picture(page, "console-narrow");
    }
    expect(trouble).toEqual([]);
  });
});
