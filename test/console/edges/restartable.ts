import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { start } from "../../../src/app/start.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { createClient } from "../../../src/contract/derive/client.ts";
import { apiKey } from "../../support/adapter/adapter.ts";
import { spawnAdapter } from "../../support/adapter/child-adapter.ts";
import { newFolder, removeFolder } from "../../support/temporary-folder.ts";

interface Running {
  readonly url: string;
  readonly end: () => Promise<unknown>;
}

/** Opens the adapter of a folder at a port; with port 0 at a free one. */
type Open = (folder: string, port: string) => Promise<Running>;

/** An adapter in this process, which ends as an administrator ends it. */
export const inThisProcess: Open = async (folder, port) => {
  const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: port, CROSSDOCK_SAMPLE: "false" };
  const path = join(folder, "crossdock.yaml");
  const load = (given?: string) => loadConfig({ env, cwd: folder, text: given });
  const { config, settings } = await load();
  const adapter = await start({
    config,
    settings: { ...settings, apiKey },
    configuration: { path, source: { env, cwd: folder } },
  });
  return { url: adapter.url, end: () => adapter.close() };
};

/** The program in a process of its own, which is killed: nothing in it can say goodbye. */
export const inOwnProcess: Open = async (folder, port) => {
  const child = await spawnAdapter(folder, { PORT: port });
  return { url: child.url, end: () => child.end("SIGKILL") };
};

/** An adapter with a refused delivery and a record in quarantine, which can be ended and started again at the same address. */
export async function restartable(open: Open) {
  const folder = newFolder();
  const bad = { items: [{ number: "Q-1", requests: [] }] };
  const erp = createServer((request, response) => {
    request.resume();
    const isQuery = request.method === "GET";
    response
      .writeHead(isQuery ? 200 : 422, { "content-type": "application/json" })
      .end(JSON.stringify(isQuery ? bad : { message: "the bin is locked" }));
  });
  await new Promise<void>((resolve) => erp.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(erp.address() as AddressInfo).port}`;
  const request = { path: "/placed", body: { amount: "{completedAmount}" } };
  const poll = [{ topic: "workOrders", everySeconds: 3600, path: "/orders", records: "items" }];
  const text = JSON.stringify({
    connectors: { erp: { type: "http", baseUrl, operations: { confirmPutWallPlacement: request }, poll } },
    events: { to: "erp" },
  });
  writeFileSync(join(folder, "crossdock.yaml"), text);
  let adapter = await open(folder, "0");
  const { url } = adapter;
  const get = async (path: string) =>
    (await (await fetch(`${url}/admin/${path}`, { headers: { "x-api-key": apiKey } })).json()) as never;
  const order = { workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 2, userEmail: "jo@example.com" };
  await createClient({ baseUrl: url, apiKey }).confirmPutWallPlacement(order);
  await vi.waitFor(async () => expect(await get("targets")).toMatchObject({ entries: { dead: 1 } }), 60_000);
  await vi.waitFor(async () => expect(await get("quarantine")).toMatchObject({ total: 1 }), 60_000);
  const { entries } = (await get("journal?state=dead")) as { entries: { seq: number }[] };
  return {
    ...{ url, dead: String(entries[0]?.seq) },
    end: () => adapter.end(),
    begin: async () => {
      adapter = await open(folder, new URL(url).port);
    },
    close: async () => {
      await adapter.end();
      erp.closeAllConnections();
      await new Promise((resolve) => erp.close(resolve));
      removeFolder(folder);
    },
  };
}
