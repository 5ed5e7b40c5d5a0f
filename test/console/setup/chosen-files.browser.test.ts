import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newFolder, removeFolder } from "../../support/temporary-folder.ts";
import { browserGroup } from "../browser.ts";
import { signIn } from "../console-stage.ts";
import { adapterOf } from "./adapter-of.ts";

const config = `files:
  profiles:
    # of the shop
    - name: shop   # daily
      columns: { No: number }
timeZone: Europe/Vienna
`;
const header = "Order;Due date;Item;Quantity\n";
const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(header + text) });
const chooser = (page: Page) => page.getByLabel("Drop a CSV or JSON file here");

browserGroup("files that are chosen at the import desk", (newTab) => {
  let adapter: Awaited<ReturnType<typeof adapterOf>>;
  const folder = newFolder();
  beforeAll(async () => {
    adapter = await adapterOf(config);
  });
  afterAll(async () => {
    await adapter.close();
    removeFolder(folder);
  });
  const desk = async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/import`);
    await chooser(page).waitFor({ state: "attached" });
    return page;
  };

  test("cells of one file never stand under the name of the next", async () => {
    const page = await desk();
    await chooser(page).setInputFiles(csv("first.csv", "4711;2030-01-31;A-1;many\n"));
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/files/preview*", async (route) => {
      await isAnswered;
      await route.continue();
    });
    await chooser(page).setInputFiles(csv("second.csv", "4712;2030-01-31;A-2;2\n"));
    await page.getByText("second.csv").waitFor();
    expect(await page.getByRole("heading", { name: "1 problem" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Download the corrected file" }).count()).toBe(0);
    answer();
    await page.getByText("1 record would be imported.").waitFor();
  });

  test("a file that was changed on the disk is read as it was chosen, and can be chosen again", async () => {
    const page = await desk();
    const path = join(folder, "orders.csv");
    writeFileSync(path, `${header}4711;2030-01-31;A-1;many\n`);
    await chooser(page).setInputFiles(path);
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    // A browser does not tell of the same file twice.
    expect(await chooser(page).evaluate((input: { value: string }) => input.value)).toBe("");
    writeFileSync(path, `${header}4711;2030-01-31;A-1;2\n4712;2030-01-31;A-1;2\n`);
    const read = page.waitForResponse(/files\/preview\?kind=items/);
    await page.getByLabel("Content").selectOption("items");
    expect((await read).status()).toBe(200);
    await page.getByLabel("Content").selectOption("workOrders");
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    await chooser(page).setInputFiles(path);
    await page.getByText("2 records would be imported.").waitFor();
  });

  test("what the browser cannot read says so", async () => {
    const page = await desk();
    // As of a folder: it has a name, and cannot be read.
    await page.evaluate(`
      const data = new DataTransfer();
      data.items.add(new File([], "a folder"));
      Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException("", "NotReadableError"));
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    `);
    await page.getByRole("alert").getByText("The browser cannot read this file").waitFor();
  });

  test("rows that are not shown are counted, and a file with too many says what to do", async () => {
    const page = await desk();
    const rows = (count: number) => Array.from({ length: count }, (_, nth) => `${nth};2030-01-31;A-1;2\n`).join("");
    await chooser(page).setInputFiles(csv("long.csv", rows(230)));
    await page.getByText("30 more rows are not shown.").waitFor();
    await chooser(page).setInputFiles(csv("longer.csv", `${rows(5_000)}x;2030-01-31;A-1;many\n`));
    await page.getByText("The file has too many cells to be corrected here").waitFor();
  });

  test("a profile is saved beside the others, which keep their comments, and is replaced in its place", async () => {
    const page = await desk();
    await chooser(page).setInputFiles(csv("erp.csv", "4711;2030-01-31;A-1;2\n"));
    await page.getByText("Save this reading as a profile").click();
    const save = async (reason: string) => {
      await page.getByLabel("Reason").fill(reason);
      const applied = page.waitForResponse("**/config/apply");
      await page.getByRole("button", { name: "Apply" }).click();
      expect((await applied).status()).toBe(200);
    };
    await page.getByText(/^\+.*name: erp/).waitFor();
    expect(await page.locator("pre span.removed").count()).toBe(0);
    await save("the files of the ERP");
    const saved = readFileSync(adapter.path, "utf8");
    const [before = "", after = ""] = config.split("timeZone");
    expect(saved.startsWith(before)).toBe(true);
    expect(saved.endsWith(`timeZone${after}`)).toBe(true);
    expect(saved).toContain("    - name: erp\n");
    await page.getByLabel("Name of the profile").fill("shop");
    await page.getByText(/^-.*name: shop/).waitFor();
    await save("the shop has new files");
    const replaced = readFileSync(adapter.path, "utf8");
    expect(replaced.indexOf("name: shop")).toBeLessThan(replaced.indexOf("name: erp"));
    expect(replaced).toContain("# of the shop\n");
  });
});
