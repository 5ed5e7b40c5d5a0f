import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { receiver } from "../../support/receivers/receiver.ts";
import { browserGroup, expectAccessible } from "../browser.ts";
import { openStage, signIn, viewerKey } from "../console-stage.ts";

browserGroup("the record of the external system", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
    const lines = [
      { pos: "10", item: "A-100", qty: 4, bin: "B-1" },
      { pos: "20", item: "A-200", qty: "many", bin: "B-2" },
    ];
    stage.erp.orders = [
      { no: "SO-7", customer: { name: "Acme", contact: "pat@example.com" }, lines },
      { no: "SO-8", due: "2030-01-31", note: "x".repeat(70_000), lines: [{ pos: "10", item: "A-100", qty: 0 }] },
    ];
    const total = async () => ((await stage.get("quarantine")) as { total: number }).total;
    await vi.waitFor(async () => expect(await total()).toBe(2), 60_000);
  });
  afterAll(async () => stage.close());

  test("stands beside the mapped record, with the field that the rule read and the error at its member", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/quarantine`);
    await page.getByRole("button", { name: /SO-7/ }).click();
    const sent = page.getByRole("region", { name: "What erp sent" });
    await sent.waitFor();
    // What no rule reads is there, too.
    expect(await sent.textContent()).toContain('"bin": "B-2"');
    expect(await sent.textContent()).toContain("pat@example.com");
    expect(await sent.locator("mark").allTextContents()).toEqual(['      "qty": "many",\n']);
    expect(await sent.locator(".note").allTextContents()).toEqual(["→ requests[1].requestedAmount\n"]);
    const checked = page.getByRole("region", { name: "The record as it was checked" });
    expect(await checked.locator("mark").allTextContents()).toEqual(["{\n", '      "requestedAmount": –\n']);
    expect(await checked.locator(".note").allTextContents()).toEqual([
      expect.stringContaining("dueDate"),
      expect.stringContaining("many"),
    ]);
    // Between them, the rule.
    await page.getByText("connectors.erp.poll[0].map.requests.map.requestedAmount").waitFor();
    await page.getByText("due is not in what erp sent.").waitFor();
    const [left, right] = [await sent.boundingBox(), await checked.boundingBox()];
    const rule = await page.getByText("Mapping rule").first().boundingBox();
    expect([left?.x, rule?.x, right?.x]).toEqual([left?.x, rule?.x, right?.x].toSorted((a, b) => (a ?? 0) - (b ?? 0)));
    await expectAccessible(page, "a record and its source");
    await page.getByLabel("Language").selectOption("de");
    await page.getByRole("region", { name: "Was erp gesendet hat" }).waitFor();
    await page.getByText("due fehlt in dem, was erp gesendet hat.").waitFor();
    expect(trouble).toEqual([]);
  });

  test("whoever looks for its order learns that it is in quarantine", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("searchbox", { name: "Find an order" }).fill("SO-7");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /Quarantine SO-7 erp/ }).waitFor();
    await expectAccessible(page, "a search for an order in quarantine");
    await page.goto(`${stage.url}/console/orders/SO-7`);
    await page.getByRole("link", { name: /Quarantine SO-7 erp/ }).click();
    await page.getByRole("region", { name: "What erp sent" }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("is masked for a viewer, and named as cut where it was too long", async () => {
    const { page, trouble } = await newTab({ width: 390, theme: "dark" });
    await signIn(page, stage.url, { key: viewerKey, name: "Vera" });
    await page.goto(`${stage.url}/console/quarantine`);
    await page.getByRole("button", { name: /SO-7/ }).click();
    const sent = page.getByRole("region", { name: "What erp sent" });
    await sent.waitFor();
    expect(await sent.textContent()).toContain("p***@example.com");
    await page.getByRole("button", { name: /SO-8/ }).click();
    await page.getByText("It was longer: its first 64 KiB were kept.").waitFor();
    expect(Number(await page.evaluate("document.documentElement.scrollWidth"))).toBe(390);
    await expectAccessible(page, "a long record and its source");
    expect(trouble).toEqual([]);
  });
});

browserGroup("a record of a system that answers queries itself", (newTab) => {
  test("is asked for again: what is still wrong stays with its reason, what is right leaves", async () => {
    let qty: unknown = "many";
    const erp = await receiver((response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify([{ no: "SO-3", due: "2030-01-31", lines: [{ item: "A-100", qty }] }]));
    });
    const lines = { each: "lines", map: { itemNumber: "item", requestedAmount: "qty" } };
    const listWorkOrders = { path: "/orders", map: { number: "no", dueDate: "due", requests: lines } };
    const baseUrl = new URL(erp.url).origin;
    const { url, client } = await startAdapter({
      config: {
        connectors: { erp: { type: "http", baseUrl, operations: { listWorkOrders } } },
        serve: { workOrders: "erp" },
      },
    });
    await client.listWorkOrders();
    const { page, trouble } = await newTab();
    await signIn(page, url);
    await page.goto(`${url}/console/quarantine`);
    await page.getByRole("button", { name: /SO-3/ }).click();
    await page.getByRole("button", { name: "Ask erp again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Reason/).fill("corrected there");
    await dialog.getByRole("button", { name: "Ask and check" }).click();
    await dialog.getByText(/still wrong: .*requestedAmount/).waitFor();
    await expectAccessible(page, "a record that is still wrong");
    qty = 3;
    await dialog.getByRole("button", { name: "Ask and check" }).click();
    await page.getByText("Nothing is in quarantine").waitFor();
    expect(trouble).toEqual([]);
  });
});
