import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup, expectAccessible } from "../browser.ts";
import { openStage, signIn } from "../console-stage.ts";

browserGroup("what the console says about a connected system", (newTab) => {
  let stage: Awaited<ReturnType<typeof openStage>>;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => stage.close());

  test("refusals with one cause show the sentence of the ERP, and the orders before they are sent again", async () => {
    stage.erp.isCross = true;
    for (const number of ["SO-1", "SO-2"]) {
      stage.erp.refusal = `There is no order ${number}. Ask the office.`;
      await stage.place(number, 1);
      await stage.settled(number === "SO-1" ? 1 : 2);
    }
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByText("There is no order …. Ask the office.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    const dialog = page.getByRole("dialog");
    for (const number of ["SO-1", "SO-2"]) await dialog.getByText(number, { exact: true }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("a new connection has a name of its own, and the page says when a name is taken", async () => {
    const { page, trouble } = await newTab();
    await signIn(page, stage.url);
    await page.goto(`${stage.url}/console/connect/new?preset=mock-erp`);
    const name = page.getByLabel("Name of this connection", { exact: true });
    await name.waitFor();
    expect(await name.inputValue()).toBe("erp-2");
    await name.fill("erp");
    await page.getByRole("alert").getByText("There is already a connection with this name: erp").waitFor();
    await page.getByText("Fill in what is required").waitFor();
    await expectAccessible(page, "a name that is taken");
    await page.getByRole("link", { name: "erp", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "erp" }).waitFor();
    expect(trouble).toEqual([]);
  });

  test("an error of the adapter is named with the reference under which its log explains it", async () => {
    const { page } = await newTab();
    await signIn(page, stage.url);
    const problem = { status: 500, detail: "See the log for this reference.", traceId: "r-4711" };
    await page.route(/admin\/quarantine/, (route) => route.fulfill({ status: 500, json: problem }));
    await page.goto(`${stage.url}/console/quarantine`);
    await page.getByText("Its log says more under r-4711.").waitFor();
    await expectAccessible(page, "an error of the adapter");
  });
});
