import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../../src/app/start.ts";
import { openStoredJournal } from "../../src/app/stored-journal.ts";
import { versionInfo } from "../../src/app/version-info.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { upgradeText } from "../../src/config/upgrade/upgrade-text.ts";
import { createClient } from "../../src/contract/derive/client.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { layout } from "../../src/store/schema.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Made by scripts/package/released-fixture.ts when a version was released. */
const released = resolve(import.meta.dirname, "../fixtures/released");
const versions = readdirSync(released);
const apiKey = "key-of-a-released-version";
const root = resolve(import.meta.dirname, "../..");

interface About {
  readonly version: string;
  readonly tables: string;
  readonly entries: number;
  readonly orders: readonly string[];
}

function unpacked(version: string) {
  const from = join(released, version);
  // Written by the script, with these members.
  const about = JSON.parse(readFileSync(join(from, "about.json"), "utf8")) as About;
  const folder = temporaryFolder();
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  for (const name of readdirSync(join(from, "data"))) {
    const bytes = gunzipSync(readFileSync(join(from, "data", name)));
    writeFileSync(join(folder, "data", basename(name, ".gz")), bytes, { mode: 0o600 });
  }
  return { about, folder, configuration: readFileSync(join(from, "crossdock.yaml"), "utf8") };
}

function tablesIn(folder: string): string {
  const database = openDatabase(join(folder, "data", "crossdock.db"), { readOnly: true });
  try {
    return `${Object.values(database.statement("PRAGMA user_version").get() ?? {})[0]}.${layout.of(database)}`;
  } finally {
    database.close();
  }
}

async function startOn(folder: string, text: string) {
  const { text: now, left } = upgradeText(text);
  expect(left).toEqual([]);
  writeFileSync(join(folder, "crossdock.yaml"), now);
  const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey };
  const { config, settings, describe, redact } = await loadConfig({ env, cwd: folder });
  const adapter = await start({ config, describe, redact, settings: { ...settings, apiKey } });
  return { ...adapter, client: createClient({ baseUrl: adapter.url, apiKey }) };
}

test.each(versions)(
  "the journal of version %s is read from its folder before an adapter has opened it",
  async (version) => {
    const { about, folder } = unpacked(version);
    const journal = openStoredJournal(join(folder, "data"));
    onTestFinished(() => journal?.close());
    const found = await journal?.find({}, { limit: 1_000, showPersonal: true });
    expect(found?.entries).toHaveLength(about.entries);
    for (const order of about.orders) expect(await journal?.timeline(order, { showPersonal: true })).not.toBeNull();
    expect(tablesIn(folder)).toBe(about.tables);
  },
);

test("the data folder of every released version of this minor version is kept", () => {
  expect(versions.length).toBeGreaterThan(0);
});

test.each(versions)(
  "the data folder and the configuration of %s are opened, with every order and entry",
  async (version) => {
    const { about, folder, configuration } = unpacked(version);
    const adapter = await startOn(folder, configuration);
    onTestFinished(() => adapter.close());
    const { data } = await adapter.client.listWorkOrders();
    expect((data ?? []).map(({ number }) => number).sort()).toEqual(about.orders);
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${adapter.url}/admin/journal?limit=100`, { headers });
    // The answer of the adapter's own route.
    const { entries } = (await answer.json()) as { entries: readonly { readonly state: string }[] };
    expect(entries).toHaveLength(about.entries);
    expect(entries.some(({ state }) => state !== "delivered")).toBe(true);
    const pushed = await adapter.client.push.workOrders([
      { number: "R-9", dueDate: "2030-01-31", requests: [{ itemNumber: "100100", requestedAmount: 1 }] },
    ]);
    expect(pushed).toMatchObject({ ids: [expect.any(String)] });
  },
);

/** Until a version is tagged its tables may still change, and its folder is made anew. */
const isTagged = (version: string) =>
  !readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`## ${version}\n\nNot tagged yet.`);
const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

test.each(versions.filter((version) => minorOf(version) === minorOf(versionInfo().version)))(
  "%s can be installed again after this version has worked on its data folder, because the tables are the same",
  async (version) => {
    const { about, folder, configuration } = unpacked(version);
    if (!isTagged(version)) return;
    const adapter = await startOn(folder, configuration);
    await adapter.close();
    expect(tablesIn(folder)).toBe(about.tables);
  },
);
