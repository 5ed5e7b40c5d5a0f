import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "../../../src/journal/sqlite/open-sqlite-journal.ts";
import { newEntry } from "../../../src/journal/suite/journal-check.ts";
import { systemTimers } from "../../../src/kit/time/timers.ts";
import { openLink } from "../../../src/replication/link/open-link.ts";
import { openClient, schema } from "../../../src/replication/postgres/open-client.ts";
import { openStandby } from "../../../src/replication/standby/standby.ts";
import { looseWire } from "../../peers/loose-wire.ts";

/**
 * Takes a deployment from one process to another and back, with a cut wire, a late owner and a damaged change, and
 * says what must not happen. A program of its own, so that a fault can be planted in it.
 */
const folder = mkdtempSync(join(tmpdir(), "crossdock-drill-"));
// An empty database, from planted.test.ts.
const url = process.env["DRILL_STORE"] ?? "";
const wire = await looseWire(url);
const differences: string[] = [];

/** What passes by itself is over by then; the server is here, and nobody cuts the wire meanwhile. */
const troubleForMs = 2_000;
const ownedWithinMs = 120_000;
const checkEveryMs = 20;

async function untilInTrouble(standby: Awaited<ReturnType<typeof openStandby>>): Promise<null> {
  let inTroubleMs = 0;
  for (let waitedMs = 0; waitedMs < ownedWithinMs && inTroubleMs < troubleForMs; waitedMs += checkEveryMs) {
    await new Promise((next) => setTimeout(next, checkEveryMs));
    inTroubleMs = standby.view().trouble === null ? 0 : inTroubleMs + checkEveryMs;
  }
  return null;
}
let processes = 0;
const follow = (store: string) => {
  const databaseFile = join(folder, `${++processes}.db`);
  return openStandby({
    ...{ url: store, deployment: "drill", leaseMs: 60_000, owner: databaseFile, pollMs: 5, timeoutMs: 30_000 },
    ...{ timers: systemTimers, copy: { databaseFile }, sides: { dataFolder: folder, files: [] } },
  }).then((standby) => ({ standby, databaseFile }));
};
const own = async (store: string) => {
  const { standby, databaseFile } = await follow(store);
  const owner = await Promise.race([standby.owned, untilInTrouble(standby)]);
  if (owner === null) throw new Error(`it was not owned: ${standby.view().trouble}`);
  const link = await openLink({ url: store, owner, patienceMs: 5_000 });
  return { link, journal: await openSqliteJournal({ databaseFile, replica: link.replica }) };
};
const isAcknowledged = (journal: Awaited<ReturnType<typeof own>>["journal"]) =>
  journal.append([newEntry({ lanes: [] })]).then(
    () => true,
    () => false,
  );
const run = async (sql: string) => {
  const client = await openClient({ url, name: "drill", timeoutMs: 60_000 });
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
};
const isDirect = async () => {
  const own = "datname = current_database() AND application_name LIKE '%, writer' AND query LIKE '%INSERT%'";
  return (await run(`SELECT 1 FROM pg_stat_activity WHERE ${own}`)).length > 0;
};

try {
  const first = await own(wire.url);
  let acknowledged = 0;
  // At least five, and until the writer stores them over its own connection.
  for (; acknowledged < 5 || !(await isDirect()); acknowledged++) {
    await first.journal.append([newEntry({ lanes: [] })]);
  }
  wire.cut();
  if (await isAcknowledged(first.journal)) differences.push("acknowledged what PostgreSQL does not have");
  wire.mend();
  await run(`UPDATE ${schema}.deployment SET lease_until = now() - interval '1 s'`);
  const second = await own(url);
  if (second.journal.read.open(0, 100_000).length !== acknowledged)
    differences.push("the next owner has not exactly what was acknowledged");
  if (await isAcknowledged(first.journal)) differences.push("a former owner could still write");
  await second.journal.append([newEntry({ lanes: [] })]);
  const [{ last } = { last: 0 }] = await run(`SELECT max(number)::int AS last FROM ${schema}.change`);
  await run(`UPDATE ${schema}.change SET body = set_byte(body, length(body) - 1, get_byte(body, length(body) - 1) # 1)
    WHERE number = (SELECT max(number) FROM ${schema}.change)`);
  const { standby } = await follow(url);
  const isDecided = () => standby.view().trouble !== null || standby.view().position === last;
  for (let nth = 0; nth < 20_000 && !isDecided(); nth++) await new Promise((next) => setTimeout(next, 5));
  if (!/damaged/.test(standby.view().trouble ?? "")) differences.push("a damaged change was applied");
  await standby.stop();
  await second.journal.close();
  await second.link.release();
  await second.link.end();
  await first.journal.close();
  await first.link.release();
  await first.link.end();
} catch (error) {
  differences.push(`it could not be finished: ${error instanceof Error ? error.message : error}`);
} finally {
  wire.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const text of differences) console.log(`a difference: ${text}`);
process.exit(differences.length === 0 ? 0 : 1);
