import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { authority } from "../../../test/support/receivers/certificates.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { type Log, silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers, type Timers } from "../../kit/time/timers.ts";
import { startDeployments } from "./start-deployments.ts";

/** Long enough for a busy machine. */
const waitFor = <Found>(look: () => Found | Promise<Found>) => vi.waitFor(look, { timeout: 60_000 });
/** Opening a deployment may take longer here than a request waits for it by default. */
const patient = "budgets: { eventMs: 120000, stepMs: 120000, scanMs: 120000, listMs: 120000 }\n";
const key = "key-of-the-process";
const plain = { "sites/north.yaml": "", "sites/south.yaml": "" };
const order = { number: "4711", dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };

function write(cwd: string, files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), name.startsWith("sites/") ? `${patient}${text}` : text);
  }
}

interface Given {
  readonly cwd?: string;
  readonly timers?: Timers;
  readonly log?: Log;
  readonly process?: string;
}

async function begin(files: Record<string, string>, given: Given = {}) {
  const { cwd = temporaryFolder(), timers, log = silentLog, process: own = "" } = given;
  write(cwd, { "crossdock.yaml": `deployments:\n  folder: sites\n${own}`, ...files });
  const load = () => loadConfig({ env: { PORT: "0" }, cwd });
  const { config, settings, source } = await load();
  const { deployments } = config;
  if (deployments === undefined || source === null) throw new Error("the configuration has deployments");
  const running = await startDeployments({
    ...{ config: { ...config, deployments }, source, env: {}, cwd, log },
    settings: { ...settings, apiKey: key },
    ...(timers === undefined ? {} : { timers }),
  });
  onTestFinished(running.close);
  const keyOf = (name: string) =>
    waitFor(() => readFileSync(join(cwd, "data/deployments", name, "api-key"), "utf8").trim());
  const push = async (path: string, apiKey: string, body: object = order) =>
    await fetch(`${running.url}${path}/inbound/work-orders`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const get = async (path: string) => await fetch(running.url + path);
  const orders = async (path: string): Promise<string[]> => {
    const { data } = (await (await get(`${path}/WorkOrders`)).json()) as { data: { number: string }[] };
    return data.map(({ number }) => number);
  };
  const state = (name: string) => running.deploymentsView().find((one) => one.name === name)?.state;
  return { ...running, cwd, load, keyOf, push, get, orders, state };
}

function testTimers() {
  return manualTimers(manualClock(0));
}

test("each deployment is reached by its own address, with its own key and its own orders", async () => {
  const { push, orders, keyOf, get } = await begin(plain);
  const [north, south] = [await keyOf("north"), await keyOf("south")];
  expect(north).not.toBe(south);
  expect((await push("/north", north)).status).toBe(202);
  expect((await push("/south", north)).status).toBe(401);
  expect((await push("/north", key)).status).toBe(401);
  expect(await orders("/north")).toEqual(["4711"]);
  expect(await orders("/south")).toEqual([]);
  expect((await get("/WorkOrders")).status).toBe(404);
});

test("many first requests at once open a deployment once, and all are answered", async () => {
  const texts: string[] = [];
  const info: Log["info"] = (fields, text) =>
    void texts.push(`${(fields as { deployment?: string }).deployment} ${text}`);
  const { get, state } = await begin(plain, { log: { ...silentLog, info } });
  expect(state("north")).toBe("asleep");
  const answers = await Promise.all(Array.from({ length: 40 }, () => get("/north/WorkOrders")));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect([state("north"), state("south")]).toEqual(["open", "asleep"]);
  expect(texts).toEqual(["north the deployment is open"]);
});

test("a request for a deployment whose files are being copied waits until the copy is made", async () => {
  const { cwd, keyOf, push, close } = await begin(plain);
  expect((await push("/north", await keyOf("north"))).status).toBe(202);
  await close();
  const again = await begin(plain, { cwd });
  expect(again.state("north")).toBe("asleep");
  // As a backup holds it.
  const release = holdInstanceLock(join(cwd, "data/deployments/north/crossdock.db.lock"));
  const answered = again.orders("/north");
  await waitFor(() => expect(again.state("north")).toBe("opening"));
  // Another deployment is opened meanwhile, so the first one has been tried.
  expect((await again.get("/south/WorkOrders")).status).toBe(200);
  expect(again.state("north")).toBe("opening");
  release();
  expect(await answered).toEqual(["4711"]);
});

test("a deployment that nobody uses is closed, keeps its data, and is opened again by the next request", async () => {
  const timers = testTimers();
  const { push, orders, keyOf, state, get } = await begin(plain, { timers });
  await timers.settle();
  await push("/north", await keyOf("north"));
  await timers.pass(14 * 60_000);
  expect(state("north")).toBe("open");
  // A health check neither keeps the deployment open nor opens it.
  await get("/north/health/ready");
  await timers.pass(2 * 60_000);
  await waitFor(() => expect(state("north")).toBe("asleep"));
  expect(await (await get("/north/health/ready")).json()).toEqual({ ready: true, reasons: [], asleep: true });
  expect(await (await get("/north/metrics")).text()).toContain('crossdock_deployment_open{deployment="north"} 0');
  expect(state("north")).toBe("asleep");
  expect(await orders("/north")).toEqual(["4711"]);
});

test("requests that come while a deployment is being closed wait and open it again", async () => {
  const timers = testTimers();
  const { get, state } = await begin(plain, { timers });
  for (let round = 0; round < 3; round++) {
    await get("/north/WorkOrders");
    const passing = timers.pass(16 * 60_000);
    // Closing takes a few turns of the event loop only.
    while (state("north") === "open") await new Promise(setImmediate);
    expect(state("north")).toBe("closing");
    const answers = await Promise.all([get("/north/WorkOrders"), get("/north/WorkOrders")]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await passing;
  }
});

test("a deployment with entries that wait stays open, and is opened when the process starts again", async () => {
  const timers = testTimers();
  const cwd = temporaryFolder();
  const files = {
    "sites/north.yaml": "connectors:\n  erp:\n    type: webhook\n    url: http://127.0.0.1:9/\nevents:\n  to: erp\n",
    "sites/south.yaml": "",
  };
  const first = await begin(files, { timers, cwd });
  const event = await fetch(`${first.url}/north/WorkOrders/CancelPutWallItem`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workOrderNumber: "1", itemNumber: "2" }),
  });
  expect(await event.json()).toMatchObject({ isResultSuccess: true });
  await first.get("/south/WorkOrders");
  await timers.pass(60 * 60_000);
  await waitFor(() => expect(first.state("south")).toBe("asleep"));
  expect(first.state("north")).toBe("open");
  await first.close();

  const second = await begin(files, { cwd });
  await waitFor(() => expect(second.state("north")).toBe("open"));
  expect(second.state("south")).toBe("asleep");
});

test("if too many would be open, the one that was not used for the longest time makes room", async () => {
  const files = { ...plain, "sites/west.yaml": "" };
  const { get, state } = await begin(files, { process: "  mostOpen: 2\n" });
  for (const path of ["/north", "/south", "/west"]) expect((await get(`${path}/WorkOrders`)).status).toBe(200);
  expect([state("north"), state("south"), state("west")]).toEqual(["asleep", "open", "open"]);
});

test("a deployment that cannot be opened answers in the contract's envelope, and the others are served", async () => {
  const { get, cwd, keyOf } = await begin(plain);
  await keyOf("north");
  writeFileSync(join(cwd, "data/deployments/north/crossdock.db"), "this is no database".repeat(1000));
  const answer = await get("/north/WorkOrders");
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ isResultSuccess: false, result: 0, data: null });
  expect((await get("/north/console")).status).toBe(503);
  expect((await get("/south/WorkOrders")).status).toBe(200);
});

test("a reload adds, changes and removes deployments, and refuses a wrong one as a whole", async () => {
  const { reload, load, cwd, get, state } = await begin(plain);
  await get("/north/WorkOrders");
  write(cwd, {
    "sites/west.yaml": "",
    "sites/south.yaml": "basePath: /other\n",
    "sites/north.yaml": "timeZone: Nowhere\n",
  });
  await expect(reload(await load())).rejects.toThrow(/Nowhere/);
  expect((await get("/west/WorkOrders")).status).toBe(404);
  write(cwd, { "sites/north.yaml": "indexableValueLabel: Cost centre\n" });
  await reload(await load());
  const label = await (await get("/north/WorkOrders/WorkOrderExternalIndexableValueLabel")).json();
  expect(label).toMatchObject({ data: { label: "Cost centre" } });
  expect((await get("/west/WorkOrders")).status).toBe(200);
  expect((await get("/other/WorkOrders")).status).toBe(200);
  expect((await get("/south/WorkOrders")).status).toBe(404);
  expect(state("north")).toBe("open");
});

test("a changed file that is wrong is not used, and the log says so with a code and without the deployment's secrets", async () => {
  const secret = "0123456789-key-of-jo";
  const south = `console:\n  users:\n    Jo: { apiKey: ${secret}, role: viewer }\n`;
  const lines: object[] = [];
  const log = { ...silentLog, error: (fields: object, text: string) => void lines.push({ ...fields, text }) };
  const process = await begin({ ...plain, "sites/south.yaml": south }, { log });
  write(process.cwd, { "sites/south.yaml": `${south}timeZone: ${secret}\n` });
  expect(await process.orders("/south")).toEqual([]);
  expect(lines).toMatchObject([{ code: "CD-125", room: "app", deployment: "south" }]);
  expect(JSON.stringify(lines)).toContain("timeZone");
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test("a deployment that moves to another address while it is open is closed before it is opened there", async () => {
  const { reload, load, cwd, get, push, orders, keyOf } = await begin(plain);
  await push("/north", await keyOf("north"));
  write(cwd, { "sites/north.yaml": "basePath: /moved\n" });
  const loaded = await load();
  const reloading = reload(loaded);
  // Requested repeatedly, so that some requests come while the earlier deployment is being closed.
  await waitFor(async () => expect((await get("/moved/Status")).status).toBe(200));
  expect(await orders("/moved")).toEqual(["4711"]);
  await reloading;
});

test("a second process on the same data folder is refused, and the first one is served on", async () => {
  const { cwd, get } = await begin(plain);
  await expect(begin(plain, { cwd })).rejects.toThrow(/already using this data folder/);
  expect((await get("/north/Status")).status).toBe(200);
});

test("the certificates of the process serve all deployments", async () => {
  const cwd = temporaryFolder();
  const ours = authority(cwd);
  const own = ours.issue("process", { alternatives: "IP:127.0.0.1", use: "server" });
  const tls = `platform:\n  tls:\n    cert: ${own.cert}\n    key: ${own.key}\n`;
  const { url } = await begin(plain, { cwd, process: tls });
  const status = await new Promise((resolve, reject) => {
    request(`${url}/south/Status`, { ca: readFileSync(ours.file) }, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject)
      .end();
  });
  expect([new URL(url).protocol, status]).toEqual(["https:", 200]);
});

test("only the key of the process shows all deployments, and their metrics name them", async () => {
  const { get, url, keyOf } = await begin(plain);
  await get("/north/WorkOrders");
  const asked = (path: string, apiKey: string) => fetch(url + path, { headers: { "x-api-key": apiKey } });
  expect((await asked("/deployments/status", await keyOf("north"))).status).toBe(401);
  expect(await (await asked("/deployments/status", key)).json()).toMatchObject({
    deployments: [
      { name: "north", state: "open" },
      { name: "south", state: "asleep" },
    ],
  });
  const metrics = await (await asked("/deployments/metrics", key)).text();
  expect(metrics).toContain(
    'crossdock_answers_total{deployment="north",operation="listWorkOrders",result="Succeed"} 1',
  );
  const names = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(await (await get("/north/metrics")).text()).toContain('crossdock_answers_total{deployment="north"');
});

test("a stop finishes requests", async () => {
  const { get, url, deploymentsView, close } = await begin(plain);
  await get("/north/WorkOrders");
  const body = JSON.stringify({ workOrderNumber: "1", itemNumber: "2" });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const answer = text(socket);
  socket.write(
    "POST /north/WorkOrders/CancelPutWallItem HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  await waitFor(() => expect(deploymentsView()[0]?.running).toBe(1));
  const closing = close();
  socket.write(body.slice(5));
  expect(await answer).toMatch(/^HTTP\/1.1 200 OK/);
  await closing;
});

test("a start opens nothing that has nothing to do", async () => {
  const cwd = temporaryFolder();
  const first = await begin(plain, { cwd });
  await first.get("/north/WorkOrders");
  await first.close();
  const second = await begin(plain, { cwd });
  await second.keyOf("south");
  await second.get("/south/WorkOrders");
  expect(second.state("north")).toBe("asleep");
});
