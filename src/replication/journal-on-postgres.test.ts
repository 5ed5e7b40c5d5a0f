import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { peerGroup } from "../../test/peers/peer.ts";
import { newDeployment, urlOf } from "../../test/replication/deployment.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { journalSuite } from "../journal/journal-suite.ts";
import { migrate } from "../journal/sqlite/migrations.ts";
import { openSqliteJournal } from "../journal/sqlite/open-sqlite-journal.ts";
import type { JournalUnderTest, OpenForTest } from "../journal/suite/journal-check.ts";
import { row, text } from "../kit/sqlite/row.ts";
import { type Database, openDatabase } from "../kit/sqlite/sqlite.ts";
import { localCopy } from "./copy/local-copy.ts";
import { openLink } from "./link/open-link.ts";
import { changesAfter, deploymentState } from "./postgres/change-log.ts";
import { openClient } from "./postgres/open-client.ts";
import { claimOwnership } from "./postgres/ownership.ts";
import { prepareTables } from "./postgres/prepare-tables.ts";

const projectionModule = new URL("../../test/fixtures/counting-projection.ts", import.meta.url);
const leaseMs = 60_000;

await peerGroup("postgres", "the journal in SQLite with PostgreSQL", (address) => {
  for (const { name, run } of journalSuite({ open: openOn(urlOf(address)) })) test(name, run);
});

function openOn(url: string): OpenForTest {
  return async (options = {}) => {
    const deployment = newDeployment();
    const folder = temporaryFolder();
    const databaseFile = join(folder, "crossdock.db");
    const client = await openClient({ url, name: "test", timeoutMs: 60_000 });
    onTestFinished(() => client.end());
    await prepareTables(client);
    await deploymentState(client, deployment);

    const openOne = async (): Promise<JournalUnderTest> => {
      const epoch = await claimOwnership(client, { deployment, owner: "test", leaseMs });
      if (epoch === null) throw new Error("the deployment has another owner");
      const link = await openLink({ url, owner: { deployment, epoch, leaseMs }, patienceMs: 60_000 });
      const journal = await openSqliteJournal({ databaseFile, projectionModule, ...options, replica: link.replica });
      let isOpen = true;
      const close = async () => {
        if (!isOpen) return;
        isOpen = false;
        await journal.close();
        await link.release();
        await link.end();
        await expectSameCopy();
      };
      onTestFinished(close);
      return {
        journal,
        folder,
        booked: () =>
          read(databaseFile, (reader) =>
            reader
              .query("SELECT id FROM counted ORDER BY rowid", row({ id: text }))
              .all()
              .map(({ id }) => id),
          ),
        openCopy: async (file) => {
          const copy = await openSqliteJournal({ databaseFile: file });
          onTestFinished(() => copy.close());
          return copy;
        },
        reopen: async () => {
          await close();
          return openOne();
        },
      };
    };

    /** Builds a second copy from the log alone and compares it with the first. */
    const expectSameCopy = async () => {
      const second = openDatabase(":memory:");
      migrate(second);
      const { openProjection } = await import("../../test/fixtures/counting-projection.ts");
      openProjection(second, undefined);
      const copy = localCopy(second);
      for (;;) {
        const changes = await changesAfter(client, deployment, copy.position().number);
        if (changes.length === 0) break;
        copy.apply(changes);
      }
      expect(contents(second)).toEqual(read(databaseFile, contents));
      second.close();
    };
    return openOne();
  };
}

function read<Found>(file: string, find: (reader: Database) => Found): Found {
  const reader = openDatabase(file, { readOnly: true });
  try {
    return find(reader);
  } finally {
    reader.close();
  }
}

/**
 * Returns all rows of all tables. The order does not count: rows without a number of their own get one by the order of
 * insertion.
 */
function contents(database: Database): Record<string, unknown> {
  const names = database
    .query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", row({ name: text }))
    .all();
  return Object.fromEntries(
    names.map(({ name }) => [
      name,
      database
        .statement(`SELECT * FROM ${name}`)
        .all()
        .map((found) => JSON.stringify(found))
        .sort(),
    ]),
  );
}
