import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { start } from "../../src/app/start.ts";
import { versionInfo } from "../../src/app/version-info.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { createClient } from "../../src/contract/derive/client.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { layout } from "../../src/store/schema.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`node scripts/package/released-fixture.ts

Keeps a small data folder and configuration as this version writes them, in test/fixtures/released. Run it once when a version is released; a test
opens every one of them with every later version.`);
  process.exit(0);
}

const { version } = versionInfo();
const place = resolve(import.meta.dirname, "../../test/fixtures/released", version);
const apiKey = "key-of-a-released-version";
/** Uses every section of the file. The target never answers, so that events wait. */
const configuration = `timeZone: Europe/Berlin
validationMode: problem-details
connectors:
  erp:
    type: webhook
    url: http://127.0.0.1:9/events
    secrets: ["whsec_YS1zZWNyZXQtb2YtYS1yZWxlYXNlZC12ZXJzaW9u"]
events:
  to: erp
senders:
  shop:
    auth: { kind: basic, users: [{ username: shop, password: a-password-of-a-shop }] }
    topics: [workOrders]
files:
  badRecords: quarantine
console:
  users:
    Jo: { apiKey: 0123456789abcdef-of-jo, role: operator }
alarms:
  expiries: [{ name: a certificate, lastDay: 2099-01-01 }]
retention: { bodiesDays: 366000, entriesDays: 366000 }
exportColumns:
  - { key: customer, header: Customer, value: externalData.customer }
`;

const folder = mkdtempSync(join(tmpdir(), "crossdock-released-"));
writeFileSync(join(folder, "crossdock.yaml"), configuration);
const env = { PORT: "0", CROSSDOCK_API_KEY: apiKey, CROSSDOCK_SAMPLE: "true" };
const { config, settings, describe, redact } = await loadConfig({ env, cwd: folder });
const adapter = await start({ config, describe, redact, settings: { ...settings, apiKey } });
const client = createClient({ baseUrl: adapter.url, apiKey });
const line = { itemNumber: "100100", requestedAmount: 3 };
await client.push.workOrders([1, 2, 3].map((n) => ({ number: `R-${n}`, dueDate: "2030-01-31", requests: [line] })));
await client.push.stock({ itemNumber: "100100", amount: 46 });
await client.attachWorkOrder({ workOrderNumber: "R-1", containerCode: "BOX-1" });
await client.confirmPutWallPlacement({
  ...{ workOrderNumber: "R-2", itemNumber: "100100", completedAmount: 2, userEmail: "jo@example.com" },
});
await client.push.cancellations({ workOrderNumber: "R-3", reason: "the customer called" });
const { data } = await client.listWorkOrders();
await adapter.close();

const database = openDatabase(join(settings.dataFolder, "crossdock.db"), { readOnly: true });
const [journal] = Object.values(database.statement("PRAGMA user_version").get() ?? {});
const tables = `${journal}.${layout.of(database)}`;
const [entries] = Object.values(database.statement("SELECT count(*) FROM entry").get() ?? {});
database.close();
rmSync(place, { recursive: true, force: true });
mkdirSync(join(place, "data"), { recursive: true });
writeFileSync(join(place, "crossdock.yaml"), configuration);
const kept = readdirSync(settings.dataFolder).filter((name) => !name.endsWith(".lock"));
for (const name of kept) {
  writeFileSync(
    join(place, "data", `${name}.gz`),
    gzipSync(readFileSync(join(settings.dataFolder, name)), { level: 9 }),
  );
}
const orders = (data ?? []).map(({ number }) => number).sort();
writeFileSync(join(place, "about.json"), `${JSON.stringify({ version, tables, entries, orders }, null, 2)}\n`);
rmSync(folder, { recursive: true, force: true });
console.log(`${place}: ${kept.length} files, tables ${tables}, ${entries} entries, ${orders.length} orders`);
