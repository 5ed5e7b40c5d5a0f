import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { expect, vi } from "vitest";
import { start } from "../../src/app/start.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { AdminRoute } from "../../src/contract/admin/admin-rows.ts";
import { createClient } from "../../src/contract/derive/client.ts";
import { logRoomNames } from "../../src/messages/log/log-line.ts";
import { apiKey } from "../support/adapter/adapter.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";

export const keys = {
  viewer: "key-of-the-viewer-0123",
  operator: "key-of-the-operator-01",
  admin: "key-of-the-admin-01234",
} as const;
export type Known = keyof typeof keys;

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Who worked: no viewer may see it. */
export const person = "jo@example.com";

export interface SignedIn {
  readonly cookie: string;
  readonly csrf: string;
}

/**
 * A whole adapter in which every admin route would have an effect: a dead delivery, a record in quarantine, an alarm
 * channel, a program to run, and a configuration file that may be written.
 */
export async function adminStage() {
  const folder = newFolder();
  const path = join(folder, "crossdock.yaml");
  let shiftMs = 0;
  const bad = { items: ["Q-1", "Q-2", "Q-3"].map((number) => ({ number, requests: [], description: person })) };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume();
    if (request.url === "/orders") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(bad));
    } else if (request.url === "/alarm") response.writeHead(204).end();
    else {
      const headers = { "content-type": "application/json", "x-seen": person };
      response.writeHead(422, headers).end(JSON.stringify({ message: `nobody is called ${person}` }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const erpUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  const placed = {
    ...{ path: "/placed?by={userEmail}", headers: { "x-picker": "{userEmail}" } },
    body: { amount: "{completedAmount}", picker: "{userEmail}" },
  };
  const users = Object.fromEntries(Object.entries(keys).map(([role, key]) => [role, { apiKey: key, role }]));
  const config = {
    connectors: {
      erp: {
        ...{ type: "http", baseUrl: erpUrl, operations: { confirmPutWallPlacement: placed } },
        poll: [{ topic: "workOrders", everySeconds: 3600, path: "/orders", records: "items" }],
      },
    },
    ...{ events: { to: "erp" }, console: { users } },
    alarms: { webhook: { url: `${erpUrl}/alarm`, secrets: [secret] }, off: ["refused", "quarantine"] },
  };
  writeFileSync(path, JSON.stringify(config));
  // Stands in for the simulated floor and the conformance checks: it says that it runs, until it is stopped.
  const program = join(folder, "program.mjs");
  writeFileSync(program, "console.log(process.argv[2]); setInterval(() => {}, 60_000);");
  const env = { CROSSDOCK_DATA_DIR: join(folder, "data"), PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const load = (text?: string) => loadConfig({ env, cwd: folder, text });
  const loaded = await load();
  // What the server really offers, whether or not somebody has written it into the table.
  const registered: string[] = [];
  const watchRoutes = (opened: unknown) =>
    // The library announces each server that it creates.
    (opened as { fastify: FastifyInstance }).fastify.addHook("onRoute", ({ method, url }) => {
      registered.push(...[method].flat().map((one) => `${one} ${url}`));
    });
  subscribe("fastify.initialization", watchRoutes);
  const adapter = await start({
    ...{
      ...loaded,
      settings: { ...loaded.settings, apiKey },
      configuration: { path, source: { env, cwd: folder } },
      program,
    },
    clock: { now: () => Date.now() + shiftMs },
  });
  unsubscribe("fastify.initialization", watchRoutes);
  const { port, host, origin } = new URL(adapter.url);

  const send = ({ method = "GET", path: to, headers = {}, body }: Sent) =>
    new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
      // Node sends a DELETE with a body but without its length, which no server could read.
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const one = httpRequest(
        { host: "127.0.0.1", port, method, path: to, headers: { host, ...length, ...headers } },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8");
          answer.on("data", (chunk) => {
            text += chunk;
            // A stream never ends by itself.
            if (answer.headers["content-type"]?.startsWith("text/event-stream") === true) answer.destroy();
          });
          answer.on("close", () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
        },
      );
      one.on("error", reject);
      one.end(body);
    });
  const json = async (to: string) => JSON.parse((await send({ path: to, headers: { "x-api-key": apiKey } })).text);

  const signIn = async (role: Known, headers: Readonly<Record<string, string>> = {}): Promise<SignedIn> => {
    const answer = await send({
      ...{ method: "POST", path: "/admin/session", body: JSON.stringify({ key: keys[role] }) },
      headers: { origin, "content-type": "application/json", ...headers },
    });
    expect(answer.status).toBe(200);
    return {
      cookie: String(answer.headers["set-cookie"]).split(";")[0] ?? "",
      csrf: JSON.parse(answer.text).csrfToken,
    };
  };
  /** A session that has ended because nobody used it. */
  const expiredSession = async (role: Known): Promise<SignedIn> => {
    shiftMs = -13 * 3_600_000;
    const signed = await signIn(role);
    shiftMs = 0;
    return signed;
  };

  await createClient({ baseUrl: adapter.url, apiKey }).confirmPutWallPlacement({
    ...{ workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 2, userEmail: person },
  });
  await vi.waitFor(async () => expect((await json("/admin/targets")).entries.dead).toBe(1), 60_000);
  await vi.waitFor(async () => expect((await json("/admin/quarantine")).total).toBe(bad.items.length), 60_000);
  const dead = (await json("/admin/journal?state=dead")).entries[0].seq as number;
  const quarantined: readonly { id: number; number: string }[] = (await json("/admin/quarantine")).records;
  const recordOf = (number: string) => String(quarantined.find((one) => one.number === number)?.id);

  /** For every parameter of a path. A route with another one fails here until somebody names a value that exists. */
  const known: Readonly<Record<string, string>> = {
    entry: String(dead),
    number: "W-1",
    name: "erp",
    id: recordOf("Q-1"),
  };
  const pathOf = (route: AdminRoute): string =>
    (route.split(" ")[1] ?? "").replace(/:(\w+)/g, (_whole, name: string) => {
      // Each takes a record away; with one for all of them, only the first would have an effect.
      const own =
        name !== "id" ? undefined : route.endsWith("/drop") ? "Q-2" : route.startsWith("DELETE") ? "Q-3" : "Q-1";
      const value = own === undefined ? known[name] : recordOf(own);
      if (value === undefined) throw new Error(`no value is known for :${name} of ${route}`);
      return value;
    }) + (route.includes("/files/") ? "?kind=items" : "");
  const good = { dueDate: "2030-01-31", requests: [{ itemNumber: "A-1", requestedAmount: 1 }] };
  /** A body with which any changing route has its effect: each takes the members that it knows. */
  const bodyFor = (route: AdminRoute): string => {
    const placement = { workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 1, userEmail: person };
    return JSON.stringify({
      ...{ operator: "x", reason: "x", action: "skip", dryRun: false, filter: { order: "W-1" }, connector: "erp" },
      ...{ changes: [{ path: ["timeZone"], value: "Europe/Berlin" }], records: 0, name: "stolen", value: "stolen" },
      ...{ room: logRoomNames[0], level: "silent", order: "W-1", minutes: 5 },
      version: versionNow(),
      body: route.includes("/quarantine/") ? { number: "Q-1", ...good } : placement,
    });
  };
  let version = "";
  const versionNow = () => version;
  /** Without how much was logged, which rises with every request. */
  const logState = async () => {
    const { levels, orders } = await json("/admin/log");
    return { levels, orders: orders.map(({ order, until }: { order: string; until: string }) => ({ order, until })) };
  };
  /** Everything that a changing route could change. */
  const state = async () => {
    const shown = await json("/admin/config");
    version = shown.version;
    return {
      ...{ targets: await json("/admin/targets"), audit: await json("/admin/audit") },
      ...{ journal: await json("/admin/journal"), entry: await json(`/admin/journal/${dead}`) },
      ...{ quarantine: (await json("/admin/quarantine")).total, history: await json("/admin/config/history") },
      ...{ file: readFileSync(path, "utf8"), floor: await json("/admin/floor") },
      log: await logState(),
      secrets: existsSync(join(folder, "secrets")) ? readdirSync(join(folder, "secrets")) : [],
      alarms: asked.filter((one) => one === "/alarm").length,
    };
  };
  await state();
  const running = async (): Promise<readonly string[] | null> => {
    const { run } = await json("/admin/floor");
    return run?.state === "running" ? run.output : null;
  };
  /** A started program has said its line: what comes later is the effect of something else. */
  const quiet = () => vi.waitFor(async () => expect(await running()).toSatisfy((is) => is?.length !== 0), 60_000);
  /** Only what runs can be stopped, and only one program runs at a time: without this, a request could have no effect. */
  const prepare = async (route: AdminRoute) => {
    if (!route.startsWith("POST /admin/floor/")) return;
    await quiet();
    const headers = { "x-api-key": keys.admin, "content-type": "application/json" };
    const ask = (what: string) =>
      send({ method: "POST", path: `/admin/floor/${what}`, headers, body: JSON.stringify({ operator: "x" }) });
    const isStop = route.endsWith("/stop");
    if (((await running()) === null) === isStop) await ask(isStop ? "conform" : "stop");
    await quiet();
  };
  /** A delivery that was sent again has been refused again. */
  const settled = () => vi.waitFor(async () => expect((await json("/admin/targets")).entries.dead).toBe(1), 60_000);
  return {
    ...{ settled, prepare, quiet },
    ...{ send, signIn, expiredSession, pathOf, bodyFor, state, origin, host, json },
    registered,
    close: async () => {
      await adapter.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      removeFolder(folder);
    },
  };
}
