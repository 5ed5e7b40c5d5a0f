import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, vi } from "vitest";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { workOrder } from "../support/floor/embedded-store.ts";

const alarmSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
export const viewerKey = "viewer-key-0123456789";

/** An adapter with an ERP that says no to the amount 13, and to everything while it is cross. */
export async function openStage() {
  const closes: (() => Promise<void>)[] = [];
  const erp = {
    isCross: false,
    isSilent: false,
    refusal: "the bin is locked",
    /** The whole body of a refusal, in place of the text above. */
    refusalBody: null as object | null,
    received: 0,
    orders: [] as object[],
    testAlarms: [] as string[],
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ items: erp.orders }));
        return;
      }
      if (request.url === "/alarm") {
        if (!erp.isCross && body.includes('"alarm":"test"')) erp.testAlarms.push(body);
        response.writeHead(erp.isCross ? 500 : 204).end();
        return;
      }
      if (erp.isSilent) {
        request.socket.destroy();
        return;
      }
      const isRefused = erp.isCross || body.includes('"amount":13');
      if (!isRefused) erp.received++;
      response
        .writeHead(isRefused ? 422 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(isRefused ? (erp.refusalBody ?? { message: erp.refusal }) : { ok: true }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closes.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const lines = { itemNumber: "item", requestedAmount: "qty", requestExternalIdentifier: "pos" };
  const map = { number: "no", dueDate: "due", requests: { each: "lines", map: lines } };
  const request = { path: "/placed", body: { amount: "{completedAmount}", order: "{workOrderNumber}" } };
  const adapter = await startAdapter({
    config: {
      timeZone: "Europe/Berlin",
      connectors: {
        erp: {
          ...{ type: "http", baseUrl: `http://127.0.0.1:${port}`, operations: { confirmPutWallPlacement: request } },
          poll: [{ topic: "workOrders", everySeconds: 1, path: "/orders", records: "items", map }],
        },
      },
      events: { to: "erp" },
      alarms: { webhook: { url: `http://127.0.0.1:${port}/alarm`, secrets: [alarmSecret] } },
      senders: { shop: { auth: { kind: "apiKey", keys: ["shop-key-0123456789"] } } },
      console: { users: { Vera: { apiKey: viewerKey, role: "viewer" } } },
    },
    onFinished: (close) => closes.push(close),
  });
  const { url, client } = adapter;
  const push = async (orders: readonly object[]) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const answer = await fetch(`${url}/inbound/work-orders`, { method: "POST", headers, body: JSON.stringify(orders) });
    expect(answer.status).toBe(202);
  };
  const get = async (path: string) =>
    (await (await fetch(`${url}/admin/${path}`, { headers: { "x-api-key": apiKey } })).json()) as never;
  const counts = async () => ((await get("targets")) as { entries: Record<string, number> }).entries;
  const place = (
    workOrderNumber: string,
    completedAmount: number,
    itemNumber = "A-100",
    userEmail = "jo@example.com",
  ) =>
    client.confirmPutWallPlacement({
      ...{ workOrderNumber, itemNumber, completedAmount, userEmail, confirmedLocationName: "W-1" },
    });
  const attach = (workOrderNumber: string, containerCode: string) =>
    client.attachWorkOrder({ workOrderNumber, containerCode, isAbandonedOrCancelled: false });
  const cancel = async (workOrderNumber: string, itemNumber: string) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const body = JSON.stringify({ workOrderNumber, itemNumber, reason: "the customer called" });
    expect((await fetch(`${url}/inbound/cancellations`, { method: "POST", headers, body })).status).toBe(202);
  };
  const reduce = async (workOrderNumber: string, itemNumber: string, requestedAmount: number) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const body = JSON.stringify({ workOrderNumber, itemNumber, requestedAmount });
    expect((await fetch(`${url}/inbound/cancellations`, { method: "POST", headers, body })).status).toBe(202);
  };
  const settled = async (dead: number) =>
    vi.waitFor(async () => expect(await counts()).toMatchObject({ dead, accepted: 0, inflight: 0 }), 60_000);
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const text = JSON.stringify({ operator: "test", reason: "test", ...body });
    await fetch(`${url}/admin/${path}`, { method: "POST", headers, body: text });
  };
  /** As at the beginning: nothing waits, and the ERP takes everything. */
  const calm = async () => {
    erp.isCross = false;
    erp.isSilent = false;
    erp.orders = [];
    const { records } = (await get("quarantine?limit=500")) as { records: { id: number }[] };
    for (const { id } of records) await post(`quarantine/${id}/drop`, {});
    await post("targets/erp/resume", {});
    await post("journal/bulk", { action: "skip", filter: { state: "dead,retry" }, dryRun: false });
    await settled(0);
  };
  return {
    ...{ calm, attach, cancel, reduce, post },
    ...{ url, erp, push, place, counts, settled, get },
    order: workOrder,
    close: async () => {
      for (const close of closes.reverse()) await close();
    },
  };
}

/** As a person does it. */
export async function signInByForm(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await fillSignIn(page);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** Fills in the form of a page that is open. */
export async function fillSignIn(page: Page): Promise<void> {
  await page.getByLabel("API key").fill(apiKey);
  await page.getByLabel("Your name").fill("Kim");
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** For tests about something else: without the form, which takes a page load and three waits. */
export async function signIn(
  page: Page,
  url: string,
  { key = apiKey, name = "Kim", heading = "Overview" } = {},
): Promise<void> {
  const answer = await page.request.post(`${url}/admin/session`, { data: { key, name }, headers: { origin: url } });
  expect(answer.status()).toBe(200);
  await page.goto(`${url}/`);
  await page.getByRole("heading", { name: heading }).waitFor();
}
