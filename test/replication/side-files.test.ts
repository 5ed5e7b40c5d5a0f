import { readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../src/kit/log.ts";
import { row, text } from "../../src/kit/sqlite/row.ts";
import { openSideDatabase, type SideFile } from "../../src/kit/sqlite/side-database.ts";
import { type Database, openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { systemTimers, type Timers } from "../../src/kit/time/timers.ts";
import { clientPool } from "../../src/replication/postgres/connection/client-pool.ts";
import { schema } from "../../src/replication/postgres/open-client.ts";
import { sideStream } from "../../src/replication/postgres/side-stream.ts";
import { openSideLink, type SideLink } from "../../src/replication/side/side-link.ts";
import { makeSnapshot } from "../../src/replication/snapshot/keep-snapshots.ts";
import { looseWire } from "../peers/loose-wire.ts";
import { peerGroup } from "../peers/peer.ts";
import { endLease, newDeployment, onPostgres, openProcess, type Process, urlOf } from "./deployment.ts";

const file: SideFile = {
  name: "notes.db",
  withoutIt: "nothing is known",
  createTables: (database) => database.exec("CREATE TABLE IF NOT EXISTS note (text TEXT PRIMARY KEY NOT NULL) STRICT"),
};
const noteRow = row({ text });

/** The names of the files of a folder that this process has open. */
const openFilesIn = (folder: string): string[] =>
  readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return dirname(target) === folder ? [basename(target)] : [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });

await peerGroup("postgres", "databases beside the journal", (address) => {
  const url = urlOf(address);
  const openOne = (deployment: string, databaseFile?: string) =>
    openProcess({ url, deployment, sides: [file], ...(databaseFile === undefined ? {} : { databaseFile }) });

  test("a process that takes over has everything that was in them", async () => {
    const deployment = newDeployment();
    const first = await openOne(deployment);
    const { link, stop } = await owning(first, url);
    const { database } = link;
    note(database, "before a standby was there");
    await link.side.stored();
    const second = await openOne(deployment);
    note(database, "while it followed");
    note(database, "and when it was closed");
    database.exec("DELETE FROM note WHERE text LIKE 'while%'");
    await stop();
    const next = await owning(second, url);
    expect(notesIn(next.link.database)).toEqual(["and when it was closed", "before a standby was there"]);
  });

  test("a process that follows has them open only while they change", async () => {
    const deployment = newDeployment();
    const owner = await owning(await openOne(deployment), url);
    note(owner.link.database, "before it followed");
    await owner.link.side.stored();
    const { databaseFile, standby } = await openOne(deployment);
    await expect.poll(() => standby.view().position).not.toBeNull();
    const isOpen = () => openFilesIn(dirname(databaseFile)).includes(file.name);
    await expect.poll(isOpen).toBe(false);
    // The journal's own file stays open.
    expect(openFilesIn(dirname(databaseFile))).toContain(basename(databaseFile));
    note(owner.link.database, "while it followed");
    await owner.link.side.stored();
    await expect.poll(() => notesInFile(databaseFile)).toEqual(["before it followed", "while it followed"]);
    await expect.poll(isOpen).toBe(false);
  });

  test("what a killed owner had not stored is not served by anybody again", async () => {
    const deployment = newDeployment();
    const first = await openOne(deployment);
    const { link } = await owning(first, url, { ...systemTimers, after: () => () => {} });
    note(link.database, "stored");
    await link.side.stored();
    note(link.database, "not stored");
    await link.kill();
    const back = await openOne(deployment, first.databaseFile);
    expect(notesIn((await owning(back, url)).link.database)).toEqual(["stored"]);
  });

  test("a former owner can store nothing in them, and learns that it is not the owner any more", async () => {
    const deployment = newDeployment();
    const former = await owning(await openOne(deployment), url);
    note(former.link.database, "first");
    await former.link.side.stored();
    await endLease(url, deployment);
    const next = await owning(await openOne(deployment), url);
    note(former.link.database, "too late");
    await expect(former.link.side.stored()).rejects.toThrow("taken over");
    expect(await former.link.lost).toContain("taken over");
    expect(notesIn(next.link.database)).toEqual(["first"]);
  });

  test("while PostgreSQL cannot be reached they are written all the same, and stored when it is back", async () => {
    const deployment = newDeployment();
    const wire = await looseWire(url);
    onTestFinished(wire.close);
    const { link, stop } = await owning(await openOne(deployment), wire.url);
    note(link.database, "connected");
    await link.side.stored();
    wire.cut();
    note(link.database, "alone");
    const stored = link.side.stored();
    wire.mend();
    await stored;
    await stop();
    const next = await owning(await openOne(deployment), url);
    expect(notesIn(next.link.database)).toEqual(["alone", "connected"]);
  });

  test("changes of an unfinished transaction are not stored before it is committed", async () => {
    const deployment = newDeployment();
    const { link, stop } = await owning(await openOne(deployment), url);
    link.database.exec("BEGIN");
    note(link.database, "undone");
    await link.side.stored();
    link.database.exec("ROLLBACK");
    note(link.database, "kept");
    await stop();
    const next = await owning(await openOne(deployment), url);
    expect(notesIn(next.link.database)).toEqual(["kept"]);
  });

  test("a snapshot that is made while they are written fits the changes after it", async () => {
    const deployment = newDeployment();
    const first = await openOne(deployment);
    const { link, owner, stop } = await owning(first, url);
    const expected: string[] = [];
    for (let nth = 0; nth < 4; nth++) {
      expected.push(`${nth} before`, `${nth} meanwhile`);
      note(link.database, `${nth} before`);
      const made = makeSnapshot({
        ...{ url, owner: { ...owner, deployment: sideStream(deployment, file.name) }, timeoutMs: 10_000 },
        freeze: () => link.side.freeze(file.name),
        historyMs: 0,
        stored: link.side.stored,
        copyFile: `${first.databaseFile}.copy`,
      });
      note(link.database, `${nth} meanwhile`);
      await made;
    }
    await stop();
    const [log] = await onPostgres(
      url,
      `SELECT count(*)::int AS kept FROM ${schema}.snapshot WHERE deployment = '${sideStream(deployment, file.name)}'`,
    );
    expect(log).toEqual({ kept: 2 });
    const next = await owning(await openOne(deployment), url);
    expect(notesIn(next.link.database)).toEqual(expected.sort());
  });
});

interface SideOwner {
  readonly side: SideLink;
  readonly database: Database;
  readonly lost: Promise<string>;
  /** As if the process had ended before anything more was stored: what is in the file stays there. */
  readonly kill: () => Promise<void>;
}

/** Owns a deployment and has its side database open. */
async function owning(process: Process, url: string, timers: Timers = systemTimers) {
  const { owner, stop } = await process.owning();
  const dataFolder = dirname(process.databaseFile);
  const { promise: lost, resolve: onLost } = Promise.withResolvers<string>();
  const { request, close } = clientPool({ url, name: "test", timeoutMs: 10_000, most: 1 });
  onTestFinished(close);
  const side = openSideLink({ request, owner, dataFolder, timeoutMs: 10_000, timers, onLost });
  let closeOnly = () => {};
  const add: SideLink["add"] = (name, opened) => {
    closeOnly = opened.close;
    return side.add(name, opened);
  };
  const database = openSideDatabase(file, { dataFolder, log: silentLog, replica: { ...side, add } });
  let isOpen = true;
  const kill = async () => {
    isOpen = false;
    closeOnly();
    await stop();
  };
  const link: SideOwner = { side, database, lost, kill };
  const stopAll = async () => {
    if (!isOpen) return;
    isOpen = false;
    if (database.isOpen()) database.close();
    await side.complete();
    await side.close();
    await stop();
  };
  onTestFinished(stopAll);
  return { link, owner, stop: stopAll };
}

const note = (database: Database, content: string) =>
  void database.statement("INSERT INTO note (text) VALUES (?)").run(content);

function notesInFile(databaseFile: string): string[] {
  const reader = openDatabase(join(dirname(databaseFile), file.name), { readOnly: true });
  try {
    return notesIn(reader);
  } finally {
    reader.close();
  }
}

const notesIn = (database: Database): string[] =>
  database
    .query("SELECT text FROM note ORDER BY text", noteRow)
    .all()
    .map(({ text: content }) => content);
