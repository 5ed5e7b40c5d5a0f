import { expect, onTestFinished, test } from "vitest";
import { apiKey } from "../../../test/support/adapter/adapter.ts";
import { silentLog } from "../../kit/log.ts";
import { previewInThread } from "../../large-bodies/preview/preview-in-thread.ts";
import { adminGate, defaultAccess } from "../admin/admin-gate.ts";
import { createServer } from "../server.ts";
import { importRoutes } from "./import-routes.ts";

const viewerKey = "the-key-of-a-viewer";

function setUp() {
  const newReference = () => "REF";
  const app = createServer({ basePath: "/wms", bodyLimitBytes: 2 ** 25, log: silentLog, newReference });
  const users = { lee: { apiKey: viewerKey, role: "viewer" } } as const;
  const gate = adminGate({ apiKey, newReference, settings: () => ({ ...defaultAccess, users }) });
  const settings = () => ({ dates: { timeZone: "UTC", timeOfDay: "00:00" } });
  importRoutes(app, { preview: previewInThread(), settings, gate, basePath: "/wms", newReference });
  onTestFinished(() => app.close());
  return {
    preview: (query: string, payload: string, headers: Record<string, string> = {}) =>
      app.inject({
        method: "POST",
        url: `/wms/admin/files/preview?${query}`,
        headers: { "x-api-key": apiKey, "content-type": "application/octet-stream", ...headers },
        payload,
      }),
    template: (query: string, headers: Record<string, string> = {}) =>
      app.inject({ url: `/wms/admin/files/template?${query}`, headers: { "x-api-key": apiKey, ...headers } }),
  };
}

test("a file is read as the endpoint would read it, and nothing is imported", async () => {
  const { preview } = setUp();
  const answer = await preview("kind=workOrders&name=x.csv", "Order;Due date;Item;Quantity\n1;2030-01-31;A;x\n", {
    "accept-language": "de",
  });
  expect(answer.json()).toMatchObject({ ok: false, problems: [{ row: 2, column: "Quantity" }] });
  expect(answer.json().problems[0].text).toContain("Zeile 2");
});

test("an empty body, an unknown kind and a viewer are refused", async () => {
  const { preview } = setUp();
  expect((await preview("kind=items", "")).json()).toMatchObject({ ok: false, problems: [] });
  expect((await preview("kind=orders", "x")).statusCode).toBe(400);
  expect((await preview("kind=items", "x", { "x-api-key": viewerKey })).statusCode).toBe(403);
});

test("the template is a file in the reader's language", async () => {
  const { template } = setUp();
  const answer = await template("kind=items", { "accept-language": "fr", "x-api-key": viewerKey });
  expect(answer.headers["content-disposition"]).toBe('attachment; filename="items.csv"');
  expect(answer.body.startsWith("\ufeff")).toBe(true);
  expect((await template("kind=x")).statusCode).toBe(400);
});
