import { expect, test } from "vitest";
import { schema } from "../../src/replication/postgres/open-client.ts";
import { makeSnapshot } from "../../src/replication/snapshot/keep-snapshots.ts";
import { peerGroup } from "../peers/peer.ts";
import { idsIn, newDeployment, ofJournal, onPostgres, openProcess, storeSome, urlOf } from "./deployment.ts";

await peerGroup("postgres", "snapshots of a deployment in PostgreSQL", (address) => {
  const url = urlOf(address);

  /** A deployment with two snapshots, nothing in the log before the first, and some changes after the second. */
  const withSnapshots = async () => {
    const deployment = newDeployment();
    const { databaseFile, owning } = await openProcess({ url, deployment });
    const { journal, owner, stop } = await owning();
    const ids = await storeSome(journal, 5);
    await makeSnapshot(ofJournal(url, owner, databaseFile));
    ids.push(...(await storeSome(journal, 5)));
    await makeSnapshot(ofJournal(url, owner, databaseFile));
    ids.push(...(await storeSome(journal, 5)));
    await stop();
    return { deployment, ids };
  };

  test("a process without a copy restores the newest one and applies what came after it", async () => {
    const { deployment, ids } = await withSnapshots();
    const [log] = await onPostgres(
      url,
      `SELECT min(number)::int AS first FROM ${schema}.change WHERE deployment = '${deployment}'`,
    );
    expect(Number(log?.["first"])).toBeGreaterThan(1);
    const { journal } = await (await openProcess({ url, deployment })).owning();
    expect(idsIn(journal)).toEqual(ids);
  });

  test.each([
    ["damaged", (at: string) => `UPDATE ${schema}.snapshot_part SET body = set_byte(body, 40, 7) WHERE ${at}`],
    ["incomplete", (at: string) => `DELETE FROM ${schema}.snapshot_part WHERE ${at}`],
  ])("if the newest one is %s, the one before it is used", async (_what, harm) => {
    const { deployment, ids } = await withSnapshots();
    const of = `deployment = '${deployment}'`;
    await onPostgres(url, harm(`${of} AND number = (SELECT max(number) FROM ${schema}.snapshot WHERE ${of})`));
    const { journal } = await (await openProcess({ url, deployment })).owning();
    expect(idsIn(journal)).toEqual(ids);
  });

  test("as long as the history is kept, no snapshot and no change is removed", async () => {
    const deployment = newDeployment();
    const { databaseFile, owning } = await openProcess({ url, deployment });
    const { journal, owner } = await owning();
    const given = ofJournal(url, owner, databaseFile);
    const kept = async () => {
      const [row] = await onPostgres(
        url,
        `SELECT (SELECT count(*)::int FROM ${schema}.snapshot WHERE deployment = '${deployment}') AS snapshots,
           (SELECT min(number)::int FROM ${schema}.change WHERE deployment = '${deployment}') AS first`,
      );
      return row;
    };
    const numbers: number[] = [];
    for (let nth = 0; nth < 4; nth++) {
      await storeSome(journal, 2);
      numbers.push((await makeSnapshot({ ...given, historyMs: 3_600_000 })) ?? 0);
    }
    expect(await kept()).toEqual({ snapshots: 4, first: 1 });
    // The second one becomes older than the history: it stays as the base of the times after it.
    await onPostgres(
      url,
      `UPDATE ${schema}.snapshot SET at = now() - interval '2 h' WHERE deployment = '${deployment}' AND number <= ${numbers[1]}`,
    );
    await storeSome(journal, 2);
    await makeSnapshot({ ...given, historyMs: 3_600_000 });
    expect(await kept()).toEqual({ snapshots: 4, first: numbers[1] });
  });

  test("a standby that was away for longer than the log is kept gets a new copy", async () => {
    const deployment = newDeployment();
    const first = await openProcess({ url, deployment });
    const { journal, owner, stop } = await first.owning();
    const away = await openProcess({ url, deployment });
    const ids = await storeSome(journal, 2);
    await expect.poll(() => away.standby.view().behind).toBe(0);
    await away.standby.stop();
    for (let nth = 0; nth < 2; nth++) {
      ids.push(...(await storeSome(journal, 3)));
      await makeSnapshot(ofJournal(url, owner, first.databaseFile));
    }
    const back = await openProcess({ url, deployment, databaseFile: away.databaseFile });
    await expect.poll(() => back.standby.view()).toMatchObject({ behind: 0, trouble: null });
    await stop();
    expect(idsIn((await back.owning()).journal)).toEqual(ids);
  });
});
