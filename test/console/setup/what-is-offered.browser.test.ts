import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserGroup, expectAccessible } from "../browser.ts";
import { signIn, viewerKey } from "../console-stage.ts";
import { adapterOf } from "./adapter-of.ts";

const operatorKey = "operator-key-0123456789";

browserGroup("what is offered", (newTab) => {
  let adapter: Awaited<ReturnType<typeof adapterOf>>;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  let hook = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    adapter = await adapterOf(`connectors:
  erp: { type: http, baseUrl: "http://127.0.0.1:9", operations: { listWorkOrders: { path: /orders } } }
serve: { workOrders: erp }
console:
  users:
    Vera: { apiKey: ${viewerKey}, role: viewer }
    Otto: { apiKey: ${operatorKey}, role: operator }
`);
  });
  afterAll(async () => {
    await adapter.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  test("an operator reads the settings of a connection, and is offered no change that the adapter would refuse", async () => {
    const { page } = await newTab();
    const refused: string[] = [];
    page.on("response", (answer) => answer.status() >= 400 && refused.push(answer.url()));
    await signIn(page, adapter.url, { key: operatorKey, name: "" });
    await page.goto(`${adapter.url}/console/connect`);
    await page.getByText("Only administrators can connect a system").waitFor();
    expect(await page.getByText("Known systems").count()).toBe(0);
    await page.getByRole("link", { name: "erp" }).click();
    await page.getByText("http://127.0.0.1:9", { exact: true }).waitFor();
    for (const place of ["connect/erp", "connect/new?type=http"]) {
      await page.goto(`${adapter.url}/console/${place}`);
      await page.getByText("Only administrators can connect a system").waitFor();
      expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
      await expectAccessible(page, place);
    }
    expect(refused).toEqual([]);
  });

  test("a viewer who follows a shared address is told that the role does not allow it, and to whom to turn", async () => {
    const { page } = await newTab();
    const refused: string[] = [];
    page.on("response", (answer) => answer.status() >= 400 && refused.push(answer.url()));
    await signIn(page, adapter.url, { key: viewerKey, name: "" });
    for (const place of ["import", "connect", "connect/erp", "settings"]) {
      await page.goto(`${adapter.url}/console/${place}`);
      await page.getByText("Ask an administrator").waitFor();
    }
    expect(refused).toEqual([]);
  });

  test("a new connection starts with a use, and one without any says that it does nothing", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/connect/new?type=files`);
    await page.getByLabel("in", { exact: true }).waitFor();
    await page.goto(`${adapter.url}/console/connect/new?type=sql`);
    await page.getByLabel("host", { exact: true }).waitFor();
    // As a secret, and not as a part of an address in the file.
    await page.getByLabel("password", { exact: true }).waitFor();
    await page.goto(`${adapter.url}/console/connect/new?type=webhook`);
    await page.getByLabel("url", { exact: true }).fill(hook);
    await page.getByText(/^\+\s+to: erp-2/).waitFor();
    // It answers no query, so none is offered.
    expect(await page.getByRole("checkbox").count()).toBe(1);
    await page.getByText("What the system would get").waitFor();
    expect(await page.getByText("What the platform would get").count()).toBe(0);
    await page.getByLabel("Send it every pick").uncheck();
    await page.getByText("Nothing uses this connection yet").waitFor();
    await expectAccessible(page, "a connection without a use");
  });

  test("the examples of what to write into the file can be told apart without seeing them", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/settings`);
    const examples = page.locator("summary", { hasText: "write into the configuration file" });
    await examples.nth(1).waitFor();
    for (const one of await examples.all()) await one.click();
    await expectAccessible(page, "both examples");
  });

  test("whoever looks for the orders of an ERP is told where they are", async () => {
    const { page } = await newTab();
    await signIn(page, adapter.url);
    await page.goto(`${adapter.url}/console/orders`);
    await page.getByText("erp keeps the orders").waitFor();
  });
});
