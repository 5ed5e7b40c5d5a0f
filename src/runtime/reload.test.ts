import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { startAdapter } from "../../test/support/adapter/adapter.ts";
import { moduleFile, moduleState } from "../../test/support/connectors/module-file.ts";
import { receiver } from "../../test/support/receivers/receiver.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ConfigError } from "../config/document/config-error.ts";
import { operations } from "../contract/operations.ts";

const answersWithName =
  "getItem: async ({ number }) => { state.told.push(number); await state.gate; return ok({ number, name }); },";
const erp = (path: string, name: string) => ({ erp: { type: "module", path, options: { name } } });
const withName = (path: string, name: string) => ({ connectors: erp(path, name), serve: { items: "erp" } });

test("64 connections under load get no failed answer during 20 reloads", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, "getItem: async ({ number }) => ok({ number, name }),");
  const hook = await receiver((response) => response.writeHead(204).end());
  const configOf = (turn: number) => ({
    connectors: { ...erp(path, `name-${turn}`), hook: { type: "webhook", url: `${hook.url}/${turn % 3}` } },
    serve: turn % 2 === 0 ? { items: "erp" } : {},
    events: { to: "hook", concurrency: 4 + turn, ...(turn % 5 === 0 ? { by: { changeStatus: "none" } } : {}) },
    exportColumns: [{ key: "turn", header: `Turn ${turn}`, value: "externalData.x" }],
    indexableValueLabel: `Label ${turn}`,
    containers: { pattern: `^C-.{1,${10 + turn}}$` },
    timeZone: turn % 2 === 0 ? "UTC" : "Europe/Berlin",
  });
  const { client, reload } = await startAdapter({ folder, config: configOf(0) });
  await client.push.items([{ number: "A-1" }]);
  const requests = [{ itemNumber: "A-1", requestedAmount: 5 }];
  const numbers = ["W-1", ...Array.from({ length: 64 }, (_, id) => `P-${id}`)];
  await client.push.workOrders(numbers.map((number) => ({ number, dueDate: "2030-01-01", requests })));
  let isOver = false;
  let answers = 0;
  const failures: unknown[] = [];
  const worker = async (id: number) => {
    while (!isOver) {
      const results = [
        await client.getItem({ number: "A-1" }),
        await client.listWorkOrders(),
        await client.confirmPutWallPlacement({ workOrderNumber: `P-${id}`, itemNumber: "A-1", completedAmount: 1 }),
        await client.attachWorkOrder({ workOrderNumber: `P-${id}`, containerCode: `C-${id}` }),
        await client.getExportValues([{ workOrderNumber: "W-1", externalData: '{"x":1}' }]),
        await client.getExportColumns(),
      ];
      answers += results.length;
      failures.push(...results.filter(({ isResultSuccess }) => !isResultSuccess));
    }
  };
  const workers = Array.from({ length: 64 }, (_, id) =>
    worker(id).catch((error: unknown) => void failures.push(error)),
  );
  for (let turn = 1; turn <= 20; turn++) {
    await reload(configOf(turn));
    // Waits for an answer: on a busy machine, all reloads would otherwise finish before the first answer arrives.
    for (const before = answers; answers === before && failures.length === 0; ) await nextTurn();
  }
  isOver = true;
  await Promise.all(workers);
  expect(failures).toEqual([]);
  expect(answers).toBeGreaterThan(64 * 6);
  expect((await client.getIndexableValueLabel()).data).toEqual({ label: "Label 20" });
  expect((await client.getItem({ number: "A-1" })).data).toMatchObject({ name: "name-20" });
  await expect.poll(() => moduleState(path).closed.length).toBe(moduleState(path).opened.length - 1);
});

test("a call in flight ends on the old connector, which is closed only then; the next call uses the new one", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, answersWithName);
  const { client, reload } = await startAdapter({ folder, config: withName(path, "old") });
  const state = moduleState(path);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = promise;
  const inFlight = client.getItem({ number: "1" });
  await expect.poll(() => state.told).toEqual(["1"]);
  expect(await reload(withName(path, "new"))).toMatchObject({ opened: ["erp"], closed: [] });
  state.gate = null;
  expect((await client.getItem({ number: "2" })).data).toMatchObject({ name: "new" });
  expect(state.closed).toEqual([]);
  resolve();
  expect((await inFlight).data).toMatchObject({ name: "old" });
  await expect.poll(() => state.closed).toEqual(["old"]);
});

test("a request whose body arrives during a reload is answered by the snapshot it began with", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(
    folder,
    `getExportColumns: () => ok([{ key: "k", header: name }]),
     getExportValues: (rows) => ok(rows.map(({ workOrderNumber }) => ({ workOrderNumber, values: { k: name } }))),
     getIndexableValueLabel: () => ok({ label: name }),`,
  );
  const config = (name: string) => ({ connectors: erp(path, name), serve: { export: "erp" } });
  const { client, url, reload } = await startAdapter({ folder, config: config("old") });
  const state = moduleState(path);
  const { method, path: route } = operations.getExportValues;
  const body = JSON.stringify([{ workOrderNumber: "W-1", externalData: "{}" }]);
  const headers = { "content-type": "application/json", "content-length": body.length, expect: "100-continue" };
  const sent = request(url + route, { method, headers });
  sent.flushHeaders();
  // The adapter has received the headers of the request but none of its body.
  await once(sent, "continue");
  await reload(config("new"));
  expect((await client.getIndexableValueLabel()).data).toEqual({ label: "new" });
  expect(state.closed).toEqual([]);
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(JSON.parse(await text(response)).data).toEqual([{ workOrderNumber: "W-1", values: { k: "old" } }]);
  await expect.poll(() => state.closed).toEqual(["old"]);
});

test("a delivery keeps the snapshot it was claimed with: it ends on the old connector, which is closed only then", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(
    folder,
    `confirmPutWallPlacement: async ({ workOrderNumber }) => {
       state.told.push(name + " " + workOrderNumber); await state.gate; return ok(null); },`,
  );
  const modes = { confirmPutWallPlacement: "durable" };
  const config = (name: string) => ({ connectors: erp(path, name), events: { to: "erp", modes } });
  const { client, reload } = await startAdapter({ folder, config: config("old") });
  const state = moduleState(path);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = promise;
  const confirm = (workOrderNumber: string) =>
    client.confirmPutWallPlacement({ workOrderNumber, itemNumber: "A", completedAmount: 1 });
  await confirm("W-1");
  await expect.poll(() => state.told).toEqual(["old W-1"]);
  await reload(config("new"));
  await confirm("W-2");
  await expect.poll(() => state.told).toEqual(["old W-1", "new W-2"]);
  expect(state.closed).toEqual([]);
  resolve();
  await expect.poll(() => state.closed).toEqual(["old"]);
  expect(state.told).toEqual(["old W-1", "new W-2"]);
});

test("a call whose caller has given up still keeps its connector open until it ends", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, answersWithName);
  const old = { ...withName(path, "old"), budgets: { scanMs: 300 } };
  const { client, reload } = await startAdapter({ folder, config: old });
  const state = moduleState(path);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = promise;
  expect((await client.getItem({ number: "1" })).isResultSuccess).toBe(false);
  state.gate = null;
  await reload(withName(path, "new"));
  expect((await client.getItem({ number: "2" })).data).toMatchObject({ name: "new" });
  expect(state.closed).toEqual([]);
  resolve();
  await expect.poll(() => state.closed).toEqual(["old"]);
});

test("a connector with unchanged options stays open; a connector whose code file changed is opened again", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, answersWithName);
  const { client, reload } = await startAdapter({ folder, config: withName(path, "one") });
  const state = moduleState(path);
  expect(await reload({ ...withName(path, "one"), budgets: { scanMs: 900 } })).toEqual({
    opened: [],
    closed: [],
    needsRestart: [],
  });
  expect(state.opened).toEqual(["one"]);
  moduleFile(folder, "getItem: async ({ number }) => ok({ number, name: name + ' again' }),");
  expect((await reload(withName(path, "one"))).opened).toEqual(["erp"]);
  expect((await client.getItem({ number: "1" })).data).toMatchObject({ name: "one again" });
});

test("an invalid configuration is refused as a whole with every error, and nothing changes", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, answersWithName);
  const { client, reload } = await startAdapter({
    folder,
    config: { ...withName(path, "old"), indexableValueLabel: "Old" },
  });
  const state = moduleState(path);
  const bad = {
    connectors: erp(path, "new"),
    serve: { items: "epr" },
    budgets: { scanMs: 1 },
    indexableValueLabel: "New",
  };
  const error = await reload(bad).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).problems).toHaveLength(2);
  // The setting is valid, but the connector does not offer the operation, which is known only after opening it.
  const offers = { connectors: erp(path, "new"), serve: { items: "erp", images: "erp" }, indexableValueLabel: "New" };
  await expect(reload(offers)).rejects.toThrow(
    /crossdock.yaml:1:\d+: serve.images: erp does not offer getItemImage\n.*getItem\b/,
  );
  expect(state.opened.filter((name) => !state.closed.includes(name))).toEqual(["old"]);
  writeFileSync(path, "export default 1;");
  await expect(reload(withName(path, "newer"))).rejects.toThrow(/is not a connector/);
  expect((await client.getItem({ number: "1" })).data).toMatchObject({ name: "old" });
  expect((await client.getIndexableValueLabel()).data).toEqual({ label: "Old" });
});

test("settings that need a restart are reported, and the others take effect at once", async () => {
  const { client, reload } = await startAdapter({});
  const next = { basePath: "/x", bodyLimitMiB: 8, indexableValueLabel: "New" };
  const { needsRestart } = await reload(next, { PORT: "81" });
  expect(needsRestart).toEqual(["PORT", "basePath", "bodyLimitMiB"]);
  expect((await client.getIndexableValueLabel()).data).toEqual({ label: "New" });
});

test("a replaced key or password of the PostgreSQL is reported, because it is used after a restart only", async () => {
  const { folder, reload } = await startAdapter({});
  const file = join(folder, "secret");
  writeFileSync(file, "postgres://u:new@db.example.com/crossdock");
  const { needsRestart } = await reload({ store: "file:./secret" }, { CROSSDOCK_API_KEY: "another-key-0123456789" });
  expect(needsRestart).toEqual(["CROSSDOCK_API_KEY", "store"]);
  const env = { CROSSDOCK_STORE_FILE: file };
  expect((await reload({ store: "file:./secret" }, env)).needsRestart).toEqual(["CROSSDOCK_STORE"]);
});

test("receipts and events go to the targets of the new configuration; entries of a removed target are delivered when it is back", async () => {
  const first = await receiver((response) => response.writeHead(503).end());
  const second = await receiver((response) => response.writeHead(204).end());
  const config = (url: string) => ({ connectors: { hook: { type: "webhook", url } }, events: { to: "hook" } });
  const { client, reload } = await startAdapter({ config: config(first.url) });
  await client.confirmPutWallPlacement({ workOrderNumber: "W-1", itemNumber: "A", completedAmount: 1 });
  await expect.poll(() => first.requests.length).toBeGreaterThan(0);
  await reload({});
  await client.confirmPutWallPlacement({ workOrderNumber: "W-2", itemNumber: "A", completedAmount: 1 });
  await reload(config(second.url));
  await client.confirmPutWallPlacement({ workOrderNumber: "W-1", itemNumber: "B", completedAmount: 1 });
  await expect.poll(() => second.requests.length, { timeout: 60_000 }).toBe(2);
  expect(second.requests.map(({ body }) => JSON.parse(body.toString()).itemNumber)).toEqual(["A", "B"]);
});

test("a changed container pattern applies to the embedded store from then on", async () => {
  const { client, reload } = await startAdapter({ config: { containers: { pattern: "^A$" } } });
  await client.push.workOrders([
    { number: "W-1", dueDate: "2030-01-01", requests: [{ itemNumber: "A-1", requestedAmount: 5 }] },
  ]);
  expect((await client.attachWorkOrder({ workOrderNumber: "W-1", containerCode: "B" })).isResultSuccess).toBe(false);
  await reload({ containers: { pattern: "^B$" } });
  expect((await client.attachWorkOrder({ workOrderNumber: "W-1", containerCode: "B" })).isResultSuccess).toBe(true);
});

test("a source is stopped before its successor starts and before anything is closed", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(
    folder,
    "",
    `source: { start: (intake) => { state.told.push("start " + name);
       void intake({ topic: "items", elements: [{ number: name }], origin: name, badRecords: "quarantine" });
       return { stop: async () => void state.told.push("stop " + name) }; } },`,
  );
  const config = (name: string) => ({ connectors: erp(path, name) });
  const { client, reload, close } = await startAdapter({ folder, config: config("one") });
  await expect.poll(async () => (await client.getItem({ number: "one" })).isResultSuccess).toBe(true);
  await reload(config("two"));
  await expect.poll(async () => (await client.getItem({ number: "two" })).isResultSuccess).toBe(true);
  await close();
  expect(moduleState(path).told).toEqual(["start one", "stop one", "start two", "stop two"]);
  expect(moduleState(path).closed).toEqual(["one", "two"]);
});

test("connectors receive their secrets, and a changed secret file is read again", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, answersWithName);
  writeFileSync(join(folder, "secret"), "first\n");
  const config = withName(path, "file:secret");
  const { client, reload } = await startAdapter({ folder, config });
  expect((await client.getItem({ number: "1" })).data).toMatchObject({ name: "first" });
  writeFileSync(join(folder, "secret"), "second\n");
  expect((await reload(config)).opened).toEqual(["erp"]);
  expect((await client.getItem({ number: "2" })).data).toMatchObject({ name: "second" });
});
