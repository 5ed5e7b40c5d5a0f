import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { migrate as migrateJournal, newestJournal } from "../../src/journal/sqlite/migrations.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { beginning, type Change, nextChange, type Position } from "../../src/replication/change.ts";
import { layoutOf } from "../../src/replication/copy/layout.ts";
import { openCopy } from "../../src/replication/copy/open-copy.ts";
import { tableDigests } from "../../src/replication/copy/table-digests.ts";
import { schema } from "../../src/replication/postgres/open-client.ts";
import { embedded } from "../../src/store/connector.ts";
import { layout, migrate as migrateStore } from "../../src/store/schema.ts";
import * as storeProjection from "../../src/store/store-projection.ts";
import { peerGroup } from "../peers/peer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { atTerminal } from "./commands/at-terminal.ts";
import { endLease, newDeployment, onPostgres, openProcess, storeSome, urlOf } from "./deployment.ts";
import { apiKey, longBudgets, startSharing } from "./replicated-adapter.ts";

test("a newer program follows an older owner in the owner's tables, and changes them when the owner did", async () => {
  const folder = temporaryFolder();
  const owners = join(folder, "owner.db");
  const owner = openDatabase(owners);
  const changes: Change[] = [];
  let position: Position = beginning;
  const change = (sql: string) => {
    const recording = owner.record();
    owner.exec(sql);
    const made = nextChange(position, recording.changeset());
    recording.close();
    changes.push({ ...made, layout: layoutOf(owner, storeProjection) });
    position = made;
  };
  migrateJournal(owner);
  migrateStore(owner, layout.newest - 1);
  change("INSERT INTO indexable_value (number, value) VALUES ('4711', 'before')");
  migrateStore(owner);
  change("INSERT INTO indexable_value (number, value) VALUES ('4712', 'after')");
  owner.close();

  const databaseFile = join(folder, "copy.db");
  const copy = await openCopy({ databaseFile, projectionModule: embedded.projectionModule });
  const layoutHere = () => {
    const database = openDatabase(databaseFile, { readOnly: true });
    const found = layoutOf(database, storeProjection);
    database.close();
    return found;
  };
  copy.apply(changes.slice(0, 1));
  expect(layoutHere()).toBe(`${newestJournal}.${layout.newest - 1}`);
  copy.apply(changes.slice(1));
  expect(layoutHere()).toBe(`${newestJournal}.${layout.newest}`);
  copy.close();
  expect(tableDigests(databaseFile)).toEqual(tableDigests(owners));
});

await peerGroup("postgres", "processes of different versions or configurations", (address) => {
  const url = urlOf(address);

  test("a standby stops following an owner whose tables it does not know, says so, and does not take over", async () => {
    const deployment = newDeployment();
    const { journal, stop } = await (await openProcess({ url, deployment })).owning();
    await storeSome(journal, 2);
    const of = `deployment = '${deployment}'`;
    await onPostgres(
      url,
      `UPDATE ${schema}.change SET layout = '999.0' WHERE ${of} AND number = (SELECT max(number) FROM ${schema}.change WHERE ${of})`,
    );
    const { standby } = await openProcess({ url, deployment });
    const isNewer = expect.stringMatching(/the owner is a newer Crossdock \(tables 999\.0, this one knows/);
    await expect.poll(() => standby.view()).toMatchObject({ trouble: isNewer, position: 0 });
    await stop();
    await endLease(url, deployment);
    const rounds = await onPostgres(url, `SELECT epoch FROM ${schema}.deployment WHERE name = '${deployment}'`);
    await expect.poll(() => standby.view()).toMatchObject({ owner: null, trouble: isNewer });
    expect(await onPostgres(url, `SELECT epoch FROM ${schema}.deployment WHERE name = '${deployment}'`)).toEqual(
      rounds,
    );
    expect(await Promise.race([standby.owned, Promise.resolve("not owned")])).toBe("not owned");
  });

  test("a standby with other settings than the owner names them", async () => {
    const deployment = newDeployment();
    await startSharing({ store: url, deployment, config: { timeZone: "Europe/Berlin" } });
    const standby = await startSharing({ store: url, deployment, config: { timeZone: "Europe/Rome" } });
    const reasons = async () =>
      ((await (await fetch(`${standby.url}/health/ready`)).json()) as { reasons: string[] }).reasons;
    const text = "its configuration differs from the owner's: timeZone";
    await expect.poll(reasons).toContain(text);
    expect((await atTerminal(standby.folder, ["status"])).out).toContain(text);
  });

  test("a configuration of another program is not compared: it has other sections and defaults", async () => {
    const deployment = newDeployment();
    await startSharing({ store: url, deployment, config: { timeZone: "Europe/Berlin" } });
    const standby = await startSharing({ store: url, deployment, config: { timeZone: "Europe/Rome" } });
    const reasons = async () =>
      ((await (await fetch(`${standby.url}/health/ready`)).json()) as { reasons: string[] }).reasons;
    await expect.poll(reasons).toHaveLength(2);
    // As the first programs wrote it, which named no version.
    await onPostgres(
      url,
      `UPDATE ${schema}.deployment SET settings = (settings::jsonb - 'program')::text WHERE name = '${deployment}'`,
    );
    await expect.poll(reasons).toEqual([expect.stringMatching(/^standby; .* owns the deployment$/)]);
  });

  test("a standby that would deliver elsewhere or has other limits says so, until both have the same configuration", async () => {
    const deployment = newDeployment();
    const erp = (port: number) => ({
      connectors: {
        erp: { type: "webhook", url: `http://127.0.0.1:${port}/` },
      },
      ...{ events: { to: "erp" }, logLevel: port === 9 ? "warn" : "info" },
    });
    const owner = await startSharing({ store: url, deployment, config: erp(9) });
    const standby = await startSharing({
      ...{ store: url, deployment },
      config: { ...erp(10), budgets: { ...longBudgets, scanMs: 5_000 } },
    });
    const reasons = async () => (await (await fetch(`${standby.url}/health/ready`)).json()) as { reasons: string[] };
    await expect.poll(reasons).toMatchObject({
      reasons: [expect.anything(), "its configuration differs from the owner's: budgets, connectors"],
    });
    const [row] = await onPostgres(url, `SELECT settings FROM ${schema}.deployment WHERE name = '${deployment}'`);
    expect(String(row?.["settings"])).not.toContain("127.0.0.1");
    const reload = async ({ folder, reload: put }: typeof owner, config: object) => {
      writeFileSync(join(folder, "crossdock.yaml"), JSON.stringify({ deployment, store: url, ...config }));
      const { settings, ...loaded } = await loadConfig({ env: { CROSSDOCK_API_KEY: apiKey }, cwd: folder });
      await put({ ...loaded, settings: { ...settings, apiKey } });
    };
    for (const one of [owner, standby]) await reload(one, erp(11));
    await expect.poll(reasons).toMatchObject({ reasons: [expect.stringContaining("owns the deployment")] });
  });
});
