import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { JournalDoubtful } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/open-sqlite-journal.ts";
import { newEntry } from "../../src/journal/suite/journal-check.ts";
import { startLinkThread } from "../../src/replication/link/link-thread.ts";
import { prepareLink } from "../../src/replication/link/open-link.ts";
import { hangUp, openClient, schema } from "../../src/replication/postgres/open-client.ts";
import { looseWire } from "../peers/loose-wire.ts";
import { peerGroup } from "../peers/peer.ts";
import { endLease, idsIn, newDeployment, onPostgres, openProcess, storeSome, urlOf } from "./deployment.ts";

await peerGroup("postgres", "a deployment in PostgreSQL", (address) => {
  const url = urlOf(address);

  test("a standby has everything acknowledged when the owner releases the deployment", async () => {
    const deployment = newDeployment();
    const first = await openProcess({ url, deployment });
    const owner = await first.owning();
    const second = await openProcess({ url, deployment });
    const ids = await storeSome(owner.journal, 20);
    await owner.stop();
    const { journal } = await second.owning();
    expect(idsIn(journal)).toEqual(ids);
    const later = await storeSome(journal, 5);
    expect(idsIn(journal)).toEqual([...ids, ...later]);
  });

  test("an owner whose lease ran out can write nothing, and learns that it is not the owner any more", async () => {
    const deployment = newDeployment();
    const former = await (await openProcess({ url, deployment })).owning();
    const ids = await storeSome(former.journal, 3);
    const second = await openProcess({ url, deployment });
    await endLease(url, deployment);
    const { journal } = await second.owning();
    await expect(former.journal.append([newEntry()])).rejects.toThrow(/taken over by/);
    expect(await former.link.lost).toMatch(/taken over by/);
    const later = await storeSome(journal, 3);
    expect(idsIn(journal)).toEqual([...ids, ...later]);
    expect(idsIn(former.journal)).toEqual(ids);
  });

  test("an owner whose lease ran out answers no retry either: to the next owner it may be a second piece", async () => {
    const deployment = newDeployment();
    const placement = () => ({
      ...newEntry({ id: `evt_${nth++}`, topic: "confirmPutWallPlacement", lanes: ["wo:1"] }),
      repeat: { key: "confirmPutWallPlacement", when: "unanswered", windowMs: 900_000 } as const,
    });
    let nth = 0;
    const former = await (await openProcess({ url, deployment })).owning();
    const second = await openProcess({ url, deployment });
    const answer = () => former.journal.append([placement()]).then(String, (error: Error) => error);
    await answer();
    await endLease(url, deployment);
    const { journal } = await second.owning();
    expect(await journal.append([placement()])).toMatchObject([{ repeatOf: 1 }]);
    journal.markAnswered(1, 2_000);
    await expect.poll(() => journal.read.entry(1)?.answeredAt).toBe(2_000);
    // As soon as its lease is over by its own clock.
    await expect.poll(answer).toBeInstanceOf(JournalDoubtful);
    expect(await journal.append([placement()])).toMatchObject([{ seq: 2 }]);
  });

  test("a standby that takes over in the middle of a delivery knows which steps were answered, and that one was begun", async () => {
    const deployment = newDeployment();
    const former = await (await openProcess({ url, deployment })).owning();
    const entry = newEntry();
    const [stored] = await former.journal.append([entry]);
    const seq = stored !== undefined && "seq" in stored ? stored.seq : 0;
    await former.journal.start(seq, "of the owner");
    await former.journal.note({ seq, token: "of the owner" }, [{ key: "find", value: '{"answer":77}' }]);
    await former.journal.note({ seq, token: "of the owner" }, [{ key: "book", value: '{"begun":true}' }]);
    const second = await openProcess({ url, deployment });
    await endLease(url, deployment);
    const { journal } = await second.owning();
    expect(Object.fromEntries(journal.read.progress(seq))).toEqual({
      find: '{"answer":77}',
      book: '{"begun":true}',
    });
    // The cut attempt is seen too, so that a repeat asks first.
    expect(journal.read.latestAttempt(seq)).toMatchObject({ outcome: "interrupted" });
    const late = former.journal.note({ seq, token: "of the owner" }, [{ key: "book", value: '{"end":"answered"}' }]);
    await expect(late).rejects.toThrow(/taken over by/);
  });

  test("a new owner has several leases to begin, and then one: on a busy machine two would take it from each other again and again", async () => {
    const deployment = newDeployment();
    const leaseMs = 60_000;
    const leases = async () => {
      const [row] = await onPostgres(
        url,
        `SELECT ceil(extract(epoch FROM lease_until - now()) * 1000 / ${leaseMs})::int AS count
         FROM ${schema}.deployment WHERE name = '${deployment}'`,
      );
      return row?.["count"];
    };
    const { standby, owning } = await openProcess({ url, deployment, leaseMs });
    await standby.owned;
    expect(await leases()).toBe(5);
    const { link } = await owning();
    expect([await leases(), link.isOurs()]).toEqual([1, true]);
  });

  test("a process that failed right after its claim may claim again at once: it need not wait for its own lease", async () => {
    const deployment = newDeployment();
    const first = await openProcess({ url, deployment });
    const { stop } = await first.owning();
    await stop();
    const { databaseFile } = first;
    // As its claim left it.
    await onPostgres(
      url,
      `UPDATE ${schema}.deployment SET owner = '${databaseFile}', lease_until = now() + interval '1 h' WHERE name = '${deployment}'`,
    );
    const again = await openProcess({ url, deployment, databaseFile });
    expect(await again.standby.owned).toMatchObject({ deployment, epoch: 2 });
  });

  test("a new owner whose prepared connection broke renews its lease over another one, and keeps the deployment", async () => {
    const deployment = newDeployment();
    const wire = await looseWire(url);
    onTestFinished(wire.close);
    const thread = startLinkThread({ url: wire.url, name: "test", patienceMs: 60_000, connections: 1 });
    onTestFinished(thread.close);
    const prepared = await prepareLink(thread, deployment);
    const owner = await (await openProcess({ url, deployment })).standby.owned;
    if (owner === null) throw new Error("nobody stopped it");
    wire.cut();
    wire.mend();
    const link = await prepared.begin(owner);
    onTestFinished(() => link.end());
    expect([link.isOurs(), await Promise.race([link.lost, "kept"])]).toEqual([true, "kept"]);
  });

  test("of two processes that start at the same moment, exactly one owns the deployment", async () => {
    const deployment = newDeployment();
    const both = await Promise.all([openProcess({ url, deployment }), openProcess({ url, deployment })]);
    const won = await Promise.race(
      both.map(async ({ standby }, index) => ((await standby.owned) === null ? -1 : index)),
    );
    const [rows] = await onPostgres(url, `SELECT owner, epoch FROM ${schema}.deployment WHERE name = '${deployment}'`);
    expect(rows).toEqual({ owner: both[won]?.databaseFile, epoch: "1" });
  });

  test("a commit whose confirmation got lost counts once, and is acknowledged", async () => {
    const deployment = newDeployment();
    const wire = await looseWire(url);
    onTestFinished(wire.close);
    const { journal } = await (await openProcess({ url: wire.url, deployment })).owning();
    const ids: string[] = [];
    for (let nth = 0; nth < 10; nth++) {
      wire.loseNextAnswer();
      ids.push(...(await storeSome(journal, 1)));
    }
    expect(wire.lostAnswers()).toBe(10);
    expect(idsIn(journal)).toEqual(ids);
    const [log] = await onPostgres(
      url,
      `SELECT count(*)::int AS count FROM ${schema}.change WHERE deployment = '${deployment}'`,
    );
    const second = await openProcess({ url, deployment });
    await endLease(url, deployment);
    expect(idsIn((await second.owning()).journal)).toEqual(ids);
    // One change for each, and at most a few for what the journal does by itself.
    expect(Number(log?.["count"])).toBeLessThan(15);
  });

  test("while PostgreSQL cannot be reached, events are refused; afterwards nothing is missing or doubled", async () => {
    const deployment = newDeployment();
    const wire = await looseWire(url);
    onTestFinished(wire.close);
    const process = await openProcess({ url: wire.url, deployment, patienceMs: 1_000 });
    const { journal } = await process.owning();
    const before = await storeSome(journal, 2);
    wire.cut();
    const refused = newEntry();
    await expect(journal.append([refused])).rejects.toThrow(/PostgreSQL did not confirm/);
    expect(idsIn(journal)).toEqual(before);
    expect(journal.trouble().refused).toMatch(/PostgreSQL did not confirm/);
    wire.mend();
    const after = await storeSome(journal, 2);
    const there = idsIn(journal);
    // Nobody was told that it is stored; whether it is, PostgreSQL has decided.
    expect(there.filter((id) => id !== refused.id)).toEqual([...before, ...after]);
    expect(journal.trouble().refused).toBeNull();
    const second = await openProcess({ url, deployment });
    await endLease(url, deployment);
    expect(idsIn((await second.owning()).journal)).toEqual(there);
  });

  test("while PostgreSQL does not answer, a commit waits only as long as the lease, and later ones not at all", async () => {
    const wire = await looseWire(url);
    onTestFinished(wire.close);
    // A statement alone would wait for an hour.
    const limits = { leaseMs: 4_000, patienceMs: 3_600_000 };
    const process = await openProcess({ url: wire.url, deployment: newDeployment(), ...limits });
    const { journal, link } = await process.owning();
    wire.cut();
    await expect(journal.append([newEntry()])).rejects.toBeInstanceOf(JournalDoubtful);
    expect(await link.lost).toMatch(/could not be renewed/);
    // It was never sent, so nobody has to doubt.
    const later = journal.append([newEntry()]);
    await expect(later).rejects.toThrow(/could not be renewed/);
    await expect(later).rejects.not.toBeInstanceOf(JournalDoubtful);
  });

  test.each(["the link", "the writer itself"])(
    "a commit that %s has sent gets no answer when the thread of the link ends, and later ones are refused",
    async (by) => {
      const deployment = newDeployment();
      const { databaseFile, standby } = await openProcess({ url, deployment });
      const owner = await standby.owned;
      if (owner === null) throw new Error("nobody stopped it");
      const thread = startLinkThread({ url, name: deployment, patienceMs: 3_600_000, connections: 1 });
      const link = await (await prepareLink(thread, deployment)).begin(owner);
      const journal = await openSqliteJournal({ databaseFile, replica: link.replica });
      onTestFinished(journal.close);
      const connection = by === "the link" ? deployment : `${deployment}, writer`;
      const storing = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${connection}' AND query LIKE '%INSERT%'`;
      for (;;) {
        // The first commit comes before the writer has a connection.
        await storeSome(journal, 1);
        if ((await onPostgres(url, storing)).length > 0) break;
      }
      const hindering = await openClient({ url, name: "test", timeoutMs: 600_000 });
      onTestFinished(() => hangUp(hindering));
      await hindering.query(`BEGIN; SELECT 1 FROM ${schema}.deployment WHERE name = '${deployment}' FOR UPDATE`);
      const unknown = expect(journal.append([newEntry()])).rejects.toBeInstanceOf(JournalDoubtful);
      const waits = `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '${deployment}%' AND wait_event_type = 'Lock'`;
      await expect.poll(() => onPostgres(url, waits)).not.toHaveLength(0);
      await thread.close();
      await unknown;
      await expect(journal.append([newEntry()])).rejects.toThrow(/link to PostgreSQL has ended/);
      expect(await link.lost).toMatch(/stopped/);
    },
  );

  test("a local copy that is damaged, or of another history, is replaced", async () => {
    const deployment = newDeployment();
    const { databaseFile, owning } = await openProcess({ url, deployment });
    const { journal, stop } = await owning();
    const ids = await storeSome(journal, 4);
    await stop();
    writeFileSync(databaseFile, "not a database");
    const again = await (await openProcess({ url, deployment, databaseFile })).owning();
    expect(idsIn(again.journal)).toEqual(ids);
    await again.stop();
    const other = newDeployment();
    const { journal: empty } = await (await openProcess({ url, deployment: other, databaseFile })).owning();
    expect(idsIn(empty)).toEqual([]);
  });

  test("a damaged change is named and never applied", async () => {
    const deployment = newDeployment();
    const { journal, stop } = await (await openProcess({ url, deployment })).owning();
    await storeSome(journal, 3);
    await stop();
    await onPostgres(
      url,
      `UPDATE ${schema}.change SET body = set_byte(body, length(body) - 1, 1 + get_byte(body, length(body) - 1) % 200)
       WHERE deployment = '${deployment}' AND number = 2`,
    );
    const { standby } = await openProcess({ url, deployment });
    await expect.poll(() => standby.view().trouble ?? "").toMatch(/change 2 .* damaged/);
  });
});
