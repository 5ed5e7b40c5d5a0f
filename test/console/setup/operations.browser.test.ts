import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn } from "../console-stage.ts";
import { adapterOf } from "./adapter-of.ts";

const file = `connectors:
  erp:
    type: http
    baseUrl: http://127.0.0.1:9/erp
    operations:
      # Only what is released.
      listWorkOrders:
        path: /orders # the new list
        map: { number: id, dueDate: due, requests: { each: lines, map: { itemNumber: item, requestedAmount: qty } } }
      getItem:
        path: /items/{number}
`;

browserGroup("the operations of a connection, in a browser", (newTab) => {
  let adapter: Awaited<ReturnType<typeof adapterOf>>;
  beforeAll(async () => {
    adapter = await adapterOf(file);
  });
  afterAll(async () => adapter.close());

  test("each operation has a form: one is changed, one is added by keyboard and one is removed, and comments stay", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/erp`);
    await page.getByText("listWorkOrders", { exact: true }).click();
    const orders = page.getByRole("group", { name: "listWorkOrders" });
    expect(await orders.getByLabel("map", { exact: true }).inputValue()).toMatch(
      /^number: id\ndueDate: due\nrequests:\n {2}each: lines\n/,
    );
    await orders.getByLabel("method", { exact: true }).selectOption("POST");
    await orders.getByLabel("path", { exact: true }).fill("/open-orders");
    await orders.getByText("More settings").click();
    await orders.getByLabel("query", { exact: true }).fill("state: released");
    await expectAccessible(page, "the form of an operation");
    // By keyboard: choosing one opens its form, with the cursor in what it needs first.
    await page.getByLabel("Add an operation").focus();
    await page.getByLabel("Add an operation").selectOption("findWorkOrderByCode");
    const added = page.getByRole("group", { name: "findWorkOrderByCode" });
    await added.waitFor();
    expect(await added.getByLabel("path", { exact: true }).evaluate("document.activeElement.id")).toBe(
      await added.getByLabel("path", { exact: true }).getAttribute("id"),
    );
    await added.getByLabel("path", { exact: true }).fill("/orders/{code}");
    await page.getByText("getItem", { exact: true }).click();
    await page.getByRole("button", { name: "Remove getItem" }).click();
    expect(await page.getByLabel("Add an operation").evaluate("document.activeElement.tagName")).toBe("SELECT");
    await page.getByText(/^\+.*findWorkOrderByCode/).waitFor();
    await page.getByLabel("Reason").fill("the released orders only");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The new configuration is in effect").waitFor();
    expect(readFileSync(adapter.path, "utf8")).toBe(`connectors:
  erp:
    type: http
    baseUrl: http://127.0.0.1:9/erp
    operations:
      # Only what is released.
      listWorkOrders:
        path: /open-orders # the new list
        map: { number: id, dueDate: due, requests: { each: lines, map: { itemNumber: item, requestedAmount: qty } } }
        method: POST
        query:
          state: released
      findWorkOrderByCode:
        path: /orders/{code}
`);
    expect(trouble).toEqual([]);
  });

  test.each(["http", "files", "sql"])("the form of a connection of type %s is no wider than a phone", async (type) => {
    const { page } = await newTab({ width: 390 });
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new?type=${type}`);
    await page.getByText("More settings").last().click();
    await page.getByLabel("Add an operation").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")).toBe(false);
    await expectAccessible(page, `a new connection of type ${type}`);
  });

  test("the options of a connection are described in the language of the reader", async () => {
    const { page } = await newTab({ language: "de" });
    await signIn(page, adapter.url, { heading: "Übersicht" });
    await page.goto(`${adapter.url}/console/connect/new?type=http`);
    await page.getByText("Grund-URL aller Pfade, http oder https.").waitFor();
    await page.getByText("Alle Aufträge, die gerade bereitstehen.").waitFor();
    await page.getByText("Weitere Einstellungen").last().click();
    await page.getByText("Kopfzeilen jeder Anfrage.").waitFor();
    expect(await page.locator("main [lang=en]").count()).toBe(0);
  });
});
