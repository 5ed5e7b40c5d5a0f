import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { oidcConfig, oidcProvider } from "../../support/receivers/oidc-provider.ts";
import { browserGroup, expectAccessible } from "../browser.ts";

browserGroup("signing in at a provider, in a browser", (newTab) => {
  let provider: Awaited<ReturnType<typeof oidcProvider>>;
  let adapter: Awaited<ReturnType<typeof startAdapter>>;
  let close = async () => {};
  beforeAll(async () => {
    provider = await oidcProvider();
    adapter = await startAdapter({
      config: oidcConfig(provider),
      onFinished: (end) => {
        close = end;
      },
    });
  });
  afterAll(async () => {
    await close();
    await provider.close();
  });

  test("a person signs in with the company account and is where they wanted to be", async () => {
    const { page, trouble } = await newTab();
    await page.goto(`${adapter.url}/console/deliveries?failure=refused`);
    await expectAccessible(page, "sign-in with a provider");
    await page.getByRole("link", { name: "Sign in with your company account" }).click();
    await page.getByRole("heading", { name: "Deliveries" }).waitFor();
    await page.getByText("kim operator").waitFor();
    expect(page.url()).toBe(`${adapter.url}/console/deliveries?failure=refused`);
    await page.getByRole("link", { name: "Configuration" }).click();
    await page.getByRole("heading", { name: "Company account" }).waitFor();
    await page.getByText("operator leads").waitFor();
    expect(await page.content()).not.toContain(provider.clientSecret);
    await expectAccessible(page, "configuration with a provider");
    await page.getByRole("button", { name: "Sign out" }).click();
    provider.person = { sub: "19", groups: [] };
    await page.getByRole("link", { name: "Sign in with your company account" }).click();
    await page.getByRole("alert").getByText("Your account has no role here").waitFor();
    await expectAccessible(page, "no role");
    expect(trouble).toEqual([]);
  });

  test("when the session ends, a new tab is for signing in, and nothing typed on the page is lost", async () => {
    provider.person = { sub: "17", preferred_username: "kim", groups: ["leads"] };
    const { page, context, trouble } = await newTab();
    await page.goto(`${adapter.url}/console/import`);
    await page.getByRole("link", { name: "Sign in with your company account" }).click();
    const buffer = Buffer.from("Order;Due date;Item;Quantity\n4711;2030-01-31;A-1;many\n");
    await page
      .getByLabel("Drop a CSV or JSON file here")
      .setInputFiles({ name: "o.csv", mimeType: "text/csv", buffer });
    await page.getByRole("heading", { name: "1 problem" }).waitFor();
    await context.clearCookies();
    await page.getByLabel("Quantity 2").fill("2");
    await page.getByLabel("Quantity 2").press("Tab");
    await page.getByRole("heading", { name: /Your session has ended/ }).waitFor();
    const [opened] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Sign in with your company account" }).click(),
    ]);
    await opened.getByRole("heading", { name: "You are signed in" }).waitFor();
    await expectAccessible(opened, "signed in for another tab");
    await page.bringToFront();
    await page.getByText("1 record would be imported.").waitFor();
    expect(await page.getByLabel("Quantity 2").inputValue()).toBe("2");
    expect(trouble).toEqual([]);
  });
});
