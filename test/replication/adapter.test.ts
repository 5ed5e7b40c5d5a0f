import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { StartOptions } from "../../src/app/openers/start-options.ts";
import { type OwnerThreads, oneOwner, ownerThreads } from "../../src/app/replicated/roles/owner-threads.ts";
import { sideFiles } from "../../src/app/replicated/side-files.ts";
import { startReplicated } from "../../src/app/replicated/start-replicated.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { startWriterThread } from "../../src/journal/sqlite/prepare-writer.ts";
import { writerThreads } from "../../src/journal/sqlite/writer-threads.ts";
import { row, text } from "../../src/kit/sqlite/row.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { embedded } from "../../src/store/connector.ts";
import { looseWire } from "../peers/loose-wire.ts";
import { peerGroup } from "../peers/peer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { endOwnership, newDeployment, urlOf } from "./deployment.ts";
import { longBudgets } from "./replicated-adapter.ts";

const apiKey = "key-of-both-processes";

await peerGroup("postgres", "adapters that share a PostgreSQL", (address) => {
  const url = urlOf(address);

  test("the standby passes requests on to the owner, and goes on with everything when the owner stops", async () => {
    const deployment = newDeployment();
    const owner = await startAdapter(url, deployment);
    const standby = await startAdapter(url, deployment);
    expect([owner.role(), standby.role()]).toEqual(["owner", "standby"]);
    expect(await readiness(owner.url)).toMatchObject({ status: 200, ready: true });
    await expect.poll(async () => (await readiness(standby.url)).standby?.ownerUrl).toBe(owner.url);
    expect(await push(standby.url, "4711")).toBe(202);
    expect(await numbers(owner.url)).toEqual(["4711"]);
    expect(await numbers(standby.url)).toEqual(["4711"]);
    const startedAt = await metric(standby.url, "process_start_time_seconds");
    await owner.close();
    await expect.poll(async () => (await readiness(standby.url)).status, { timeout: 60_000 }).toBe(200);
    expect(standby.role()).toBe("owner");
    // A takeover is no restart: an alert counts those.
    expect(await metric(standby.url, "process_start_time_seconds")).toBe(startedAt);
    expect(await push(standby.url, "4712")).toBe(202);
    expect(await numbers(standby.url)).toEqual(["4711", "4712"]);
  });

  test("a standby reports its own process; the owner's figures are reported once", async () => {
    const deployment = newDeployment();
    const owner = await startAdapter(url, deployment);
    const standby = await startAdapter(url, deployment);
    expect(await push(standby.url, "4711")).toBe(202);
    const names = ["crossdock_owner", "crossdock_standby_behind", 'crossdock_pushes_total{topic="workOrders"}'];
    const of = (address: string) => Promise.all(names.map((name) => metric(address, name)));
    expect(await of(owner.url)).toEqual([1, 0, 1]);
    // The owner stores changes of its own now and then, which the standby has a moment later.
    await expect.poll(() => of(standby.url)).toEqual([0, 0, undefined]);
    expect(await metric(standby.url, "process_resident_memory_bytes")).toBeGreaterThan(0);
  });

  test("the overview of the console says that PostgreSQL holds the data, and which deployment the process owns", async () => {
    const deployment = newDeployment();
    const owner = await startAdapter(url, deployment);
    const headers = { "x-api-key": apiKey };
    const overview = async () => (await fetch(`${owner.url}/admin/overview`, { headers })).json();
    expect(await overview()).toMatchObject({ store: "PostgreSQL", owner: { deployment, epoch: expect.any(Number) } });
  });

  test("every database of the data folder is in PostgreSQL", async () => {
    const deployment = newDeployment();
    const folder = temporaryFolder();
    await startAdapter(url, deployment, folder);
    const databases = readdirSync(folder).filter((name) => name.endsWith(".db") && name !== "crossdock.db");
    expect(databases).toEqual(sideFiles.map(({ name }) => name).sort());
    for (const name of databases) {
      const database = openDatabase(join(folder, name));
      const found = database.query("SELECT name FROM sqlite_schema WHERE name = 'copy_position'", row({ name: text }));
      expect([name, found.get()?.name]).toEqual([name, "copy_position"]);
      database.close();
    }
  });

  test("what the owner has put into quarantine is there after a takeover", async () => {
    const deployment = newDeployment();
    const { exchange, config } = withFiles();
    const [first, second] = await Promise.all([1, 2].map(() => startAdapter(url, deployment, configured(config))));
    const [owner, standby] = first?.role() === "owner" ? [first, second] : [second, first];
    if (owner === undefined || standby === undefined) throw new Error("two were started");
    writeFileSync(join(exchange, "orders", "orders.json"), JSON.stringify([{ number: "bad", requests: [] }]));
    const shown = { timeout: 60_000 };
    await expect.poll(() => quarantined(owner.url), shown).toEqual(["bad"]);
    await owner.close();
    await expect.poll(async () => (await readiness(standby.url)).status, shown).toBe(200);
    expect(await quarantined(standby.url)).toEqual(["bad"]);
  });

  test("an adapter that is overtaken while it starts tries again: its configuration is not to blame", async () => {
    const deployment = newDeployment();
    let opened = 0;
    const open: typeof embedded.open = async (...given) => {
      opened++;
      if (opened === 1) await endOwnership(url, deployment);
      return await embedded.open(...given);
    };
    const folder = configured(withFiles().config);
    const adapter = await startAdapter(url, deployment, folder, { connector: { ...embedded, open } });
    // It notices while it starts, or right after; either way it goes on.
    const now = async () => [opened, adapter.role(), (await readiness(adapter.url)).status];
    await expect.poll(now, { timeout: 120_000 }).toEqual([2, "owner", 200]);
  });

  test("an adapter whose writer has ended opens the deployment again, with everything that was stored", async () => {
    const started: ReturnType<typeof startWriterThread>[] = [];
    const writers = writerThreads({
      most: 1,
      start: (modules) => {
        const thread = startWriterThread(modules);
        started.push(thread);
        return thread;
      },
    });
    const common = ownerThreads({ url, name: "test", patienceMs: 15_000, pollMs: 100, ...oneOwner });
    onTestFinished(common.close);
    const threads = { ...common, writers };
    const adapter = await startAdapter(url, newDeployment(), temporaryFolder(), { ownerThreads: threads });
    expect(await push(adapter.url, "4711")).toBe(202);
    await started.at(-1)?.end();
    await expect.poll(() => push(adapter.url, "4712"), { timeout: 120_000 }).toBe(202);
    expect(await numbers(adapter.url)).toEqual(["4711", "4712"]);
  });

  test("an adapter that loses its PostgreSQL refuses events, and serves again when it is back", async () => {
    const wire = await looseWire(url);
    onTestFinished(wire.close);
    const adapter = await startAdapter(wire.url, newDeployment());
    expect(await push(adapter.url, "4711")).toBe(202);
    wire.cut();
    await expect.poll(async () => (await readiness(adapter.url)).status, { timeout: 60_000 }).toBe(503);
    await expect.poll(() => push(adapter.url, "4712"), { timeout: 60_000 }).toBe(503);
    wire.mend();
    await expect.poll(async () => (await readiness(adapter.url)).status, { timeout: 60_000 }).toBe(200);
    expect(await numbers(adapter.url)).toEqual(["4711"]);
    expect(await push(adapter.url, "4712")).toBe(202);
  });
});

/** A connector that stores where it stands as soon as it is opened. */
function withFiles() {
  const exchange = temporaryFolder();
  mkdirSync(join(exchange, "orders"));
  const config = `connectors:
  erp:
    type: files
    location: ${exchange}
    in: [{ topic: workOrders, folder: orders, everySeconds: 1, settleSeconds: 0, badRecords: quarantine }]
`;
  return { exchange, config };
}

async function startAdapter(
  store: string,
  deployment: string,
  folder = temporaryFolder(),
  more: Partial<StartOptions> & { readonly ownerThreads?: OwnerThreads } = {},
) {
  const env = { CROSSDOCK_DATA_DIR: folder, PORT: "0", CROSSDOCK_SAMPLE: "false" };
  const { config, settings, describe } = await loadConfig({ env, cwd: folder });
  const given = {
    config: { ...config, budgets: longBudgets, deployment },
    settings: { ...settings, apiKey },
    describe,
    store,
    ...more,
  };
  const adapter = await startReplicated(given);
  onTestFinished(() => adapter.close());
  return adapter;
}

function configured(yaml: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "crossdock.yaml"), yaml);
  return folder;
}

async function quarantined(url: string): Promise<string[]> {
  const response = await fetch(`${url}/admin/quarantine`, { headers: { "x-api-key": apiKey } });
  const { records } = (await response.json()) as { records: { number: string }[] };
  return records.map(({ number }) => number);
}

async function metric(url: string, name: string): Promise<number | undefined> {
  const text = await fetch(`${url}/metrics`).then((response) => response.text());
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

interface Ready {
  readonly status: number;
  readonly standby?: { readonly ownerUrl: string | null };
}

async function readiness(url: string): Promise<Ready> {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, ...((await response.json()) as object) };
}

async function push(url: string, number: string): Promise<number> {
  const order = { number, dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 2 }] };
  const response = await fetch(`${url}/inbound/work-orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(order),
  });
  return response.status;
}

async function numbers(url: string): Promise<string[]> {
  const response = await fetch(`${url}/WorkOrders`);
  const { data } = (await response.json()) as { data: { number: string }[] };
  return data.map(({ number }) => number).sort();
}
