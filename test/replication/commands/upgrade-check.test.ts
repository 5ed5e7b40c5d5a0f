import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UpgradeReport } from "../../../src/app/upgrade/check-upgrade.ts";
import { newestJournal } from "../../../src/journal/sqlite/migrations.ts";
import { schema } from "../../../src/replication/postgres/open-client.ts";
import { newestTables } from "../../../src/replication/postgres/prepare-tables.ts";
import { layout } from "../../../src/store/schema.ts";
import { peerGroup } from "../../peers/peer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newDeployment, onPostgres, urlOf } from "../deployment.ts";
import { pushOrder, startSharing } from "../replicated-adapter.ts";
import { atTerminal } from "./at-terminal.ts";

async function checked(folder: string, env: Record<string, string> = {}) {
  const { code, out } = await atTerminal(folder, ["upgrade", "--check", "--json"], env);
  // The program prints its own report.
  return { code, report: JSON.parse(out) as UpgradeReport };
}

await peerGroup("postgres", "what an upgrade changes for a store in PostgreSQL", (address) => {
  const store = urlOf(address);
  const setLayout = (deployment: string, text: string) =>
    onPostgres(
      store,
      `UPDATE ${schema}.change SET layout = '${text}' WHERE deployment = '${deployment}' AND number =
         (SELECT max(number) FROM ${schema}.change WHERE deployment = '${deployment}')`,
    );

  test("the same version has nothing to do there, and the report says who owns the deployment", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    await pushOrder(owner.url, "4711");
    const { code, report } = await checked(owner.folder);
    expect(code).toBe(0);
    expect(report.store).toMatchObject({
      ...{ deployment, trouble: null, owner: owner.url, obstacles: [] },
      tables: { found: newestTables, wanted: newestTables },
      steps: [
        { part: "journal", found: newestJournal, wanted: newestJournal },
        { part: "store", found: layout.newest, wanted: layout.newest },
      ],
    });
    const page = await atTerminal(owner.folder, ["upgrade", "--check"]);
    expect(page.out).toMatch(/Tables there +nothing to do/);
    expect(page.out).toContain(`owned by ${owner.url}`);
    expect(page.out + JSON.stringify(report)).not.toContain(String(address["password"]));
  });

  test("older tables there are named with what happens to the other processes; newer ones stand against it", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    await pushOrder(owner.url, "4711");
    await owner.close();
    await setLayout(deployment, `${newestJournal - 1}.${layout.newest}`);
    const older = await atTerminal(owner.folder, ["upgrade", "--check"]);
    expect(older.code).toBe(0);
    expect(older.out).toContain(
      `journal ${newestJournal - 1} → ${newestJournal} as soon as a process with this version`,
    );
    await setLayout(deployment, `${newestJournal}.${layout.newest + 1}`);
    const newer = await checked(owner.folder);
    expect(newer.code).toBe(1);
    expect(newer.report.obstacles.join()).toContain(
      "the tables of the store in PostgreSQL were written by a newer version",
    );
  });

  test("a folder without a copy is told what PostgreSQL has, and a stale copy is not backed up", async () => {
    const deployment = newDeployment();
    const owner = await startSharing({ store, deployment });
    const standby = await startSharing({ store, deployment });
    await standby.close();
    await pushOrder(owner.url, "4711");
    await owner.close();
    const stale = await atTerminal(standby.folder, ["upgrade", "--backup", "before"]);
    expect(stale.code).toBe(1);
    expect(stale.out).toMatch(/the copy in the data folder lacks \d+ changes/);
    rmSync(join(standby.folder, "data"), { recursive: true });
    const { code, report } = await checked(standby.folder);
    expect(code).toBe(0);
    expect(report.data.exists).toBe(false);
    expect(report.store?.changes).toBeGreaterThan(0);
  });

  test("a store that cannot be asked stands against it, unless only its password is missing here", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "crossdock.yaml"), "store: postgres://nobody@127.0.0.1:1/none\n");
    const unreachable = await checked(folder);
    expect(unreachable.code).toBe(1);
    expect(unreachable.report.obstacles.join()).toContain("PostgreSQL was not asked");
    writeFileSync(join(folder, "crossdock.yaml"), `store: "$\{STORE_URL}"\n`);
    const unknown = await checked(folder);
    expect(unknown.code).toBe(0);
    expect(unknown.report.store?.trouble).toContain("run it with the environment of the adapter");
    expect((await checked(folder, { STORE_URL: store })).report.store?.trouble).toBeNull();
    // The address may be in the environment of the service alone. The folder tells that there is a PostgreSQL.
    const owner = await startSharing({ store, deployment: newDeployment() });
    await pushOrder(owner.url, "4711");
    await owner.close();
    writeFileSync(join(owner.folder, "crossdock.yaml"), "{}\n");
    const copy = await checked(owner.folder);
    expect(copy.code).toBe(0);
    expect(copy.report.store?.trouble).toContain("run it with the environment of the adapter");
  });
});
