import { Compile } from "typebox/compile";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminRouteNames, adminRow } from "../../src/contract/admin/admin-rows.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";

let adapter: Awaited<ReturnType<typeof startAdapter>>;
let close = async () => {};
beforeAll(async () => {
  // Nothing listens there: deliveries are tried again and again.
  const placed = { path: "/placed", body: { amount: "{completedAmount}" } };
  const erp = { type: "http", baseUrl: "http://127.0.0.1:9", operations: { confirmPutWallPlacement: placed } };
  adapter = await startAdapter({
    ...{ config: { connectors: { erp }, events: { to: "erp" } }, sample: true },
    onFinished: (end) => {
      close = end;
    },
  });
  await adapter.client.confirmPutWallPlacement({
    ...{ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 2, userEmail: "jo@example.com" },
  });
  // The requests of an order can be read only while it is watched, and for a while after.
  await fetch(`${adapter.url}/admin/log/orders`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ order: "W-1", minutes: 15, operator: "it" }),
  });
  // An order without a due date goes into quarantine only from a connector; the list is empty and fits all the same.
});
afterAll(async () => close());

const parts: Readonly<Record<string, string>> = { entry: "1", number: "W-1", name: "erp", id: "1" };
const urlOf = (route: string) => {
  const [, path = ""] = route.split(" ");
  return adapter.url + path.replace(/:(\w+)/g, (_whole, name: string) => parts[name] ?? name);
};

test.each(adminRouteNames)("%s exists, and nobody without a key gets past it", async (route) => {
  const [method = ""] = route.split(" ");
  const answer = await fetch(urlOf(route), { method });
  expect(answer.status).toBe(adminRow(route).role === undefined ? 403 : 401);
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
});

const readable = adminRouteNames.filter(
  (route) => route.startsWith("GET ") && adminRow(route).answer !== undefined && !/live|quarantine\/:id/.test(route),
);

test.each(readable)("the answer of %s is what the description says", async (route) => {
  const response = await fetch(urlOf(route), { headers: { "x-api-key": apiKey } });
  const answer: unknown = await response.json();
  const { answer: schema } = adminRow(route);
  if (schema === undefined) throw new Error("a route without an answer was chosen");
  expect({ status: response.status, errors: Compile(schema).Errors(answer) }).toEqual({ status: 200, errors: [] });
});

test("the stream of events begins with the state, and ends with the adapter", async () => {
  const response = await fetch(`${adapter.url}/admin/live`, { headers: { "x-api-key": apiKey } });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  let text = "";
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })();
  await expect.poll(() => text).toContain("event: changed");
  const before = text.length;
  await adapter.client.confirmPutWallPlacement({
    ...{ workOrderNumber: "W-2", itemNumber: "A-1", completedAmount: 1, userEmail: "jo@example.com" },
  });
  await expect.poll(() => text.slice(before)).toContain("event: changed");
  // A reload must not wait for open consoles; they come back by themselves.
  await adapter.reload({ console: { idleMinutes: 5 } });
  await reading;
});
