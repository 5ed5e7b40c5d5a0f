import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { peerGroup } from "../../../test/peers/peer.ts";
import { newDeployment, urlOf } from "../../../test/replication/deployment.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { writerThreads } from "../../journal/sqlite/writer-threads.ts";
import { newEntry } from "../../journal/suite/journal-check.ts";
import { deploymentState } from "../postgres/change-log.ts";
import { openClient, schema } from "../postgres/open-client.ts";
import { claimOwnership } from "../postgres/ownership.ts";
import { prepareTables } from "../postgres/prepare-tables.ts";
import { startLinkThread } from "./link-thread.ts";
import { prepareLink } from "./open-link.ts";

const [leaseMs, patienceMs] = [60_000, 60_000];

await peerGroup("postgres", "journals of several deployments in a few threads", (address) => {
  const url = urlOf(address);
  const connect = async () => {
    const client = await openClient({ url, name: "test", timeoutMs: patienceMs });
    onTestFinished(() => client.end());
    return client;
  };

  test.each([
    ["in a process with many deployments", "the journals of its own thread, and no others", 2, ["first", "beside"]],
    ["that its writer sends itself", "no other journal", 1, ["beside", "first"]],
  ])("a commit %s, if PostgreSQL keeps it waiting, holds up %s", async (_kind, _held, connections, last) => {
    const [client, blocking] = [await connect(), await connect()];
    await prepareTables(client);
    const threads = writerThreads({ most: 2 });
    onTestFinished(threads.close);
    const open = async () => {
      const deployment = newDeployment();
      await deploymentState(client, deployment);
      const epoch = await claimOwnership(client, { deployment, owner: "test", leaseMs });
      const linking = startLinkThread({ url, patienceMs, name: `crossdock ${deployment}`, connections });
      onTestFinished(linking.close);
      const link = await (await prepareLink(linking, deployment)).begin({ deployment, epoch: epoch ?? 0, leaseMs });
      onTestFinished(link.end);
      const databaseFile = join(temporaryFolder(), "crossdock.db");
      const thread = threads.prepare([link.replica.module]);
      const journal = await openSqliteJournal({ databaseFile, thread, replica: link.replica });
      onTestFinished(journal.close);
      return { deployment, store: () => journal.append([newEntry({ lanes: [] })]) };
    };
    // The third one shares its thread with the first.
    const [first, elsewhere, beside] = [await open(), await open(), await open()];
    const done: string[] = [];
    const noted = (name: string, storing: Promise<unknown>) => storing.then(() => void done.push(name));

    await blocking.query("BEGIN");
    await blocking.query(`SELECT 1 FROM ${schema}.deployment WHERE name = $1 FOR UPDATE`, [first.deployment]);
    const storing = [noted("first", first.store())];
    const waits = `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE $1 AND wait_event_type = 'Lock'`;
    const isWaiting = async () => (await client.query(waits, [`crossdock ${first.deployment}%`])).rowCount;
    await expect.poll(isWaiting, { timeout: patienceMs }).toBe(1);
    storing.push(noted("beside", beside.store()));
    for (let times = 0; times < 20; times++) await noted("elsewhere", elsewhere.store());
    if (last[0] === "beside") await storing[1];
    expect(new Set(done)).toEqual(new Set(last[0] === "beside" ? ["elsewhere", "beside"] : ["elsewhere"]));
    await blocking.query("COMMIT");
    await Promise.all(storing);
    expect(done.filter((name) => name !== "elsewhere")).toEqual(last);
  });
});
