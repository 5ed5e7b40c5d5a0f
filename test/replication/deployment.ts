import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal, type SqliteJournal } from "../../src/journal/sqlite/open-sqlite-journal.ts";
import { newEntry } from "../../src/journal/suite/journal-check.ts";
import type { SideFile } from "../../src/kit/sqlite/side-database.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { systemTimers } from "../../src/kit/time/timers.ts";
import { type Link, openLink } from "../../src/replication/link/open-link.ts";
import type { Owner } from "../../src/replication/postgres/change-log.ts";
import { openClient, schema } from "../../src/replication/postgres/open-client.ts";
import type { SnapshotNeeds } from "../../src/replication/snapshot/keep-snapshots.ts";
import { openStandby, type Standby } from "../../src/replication/standby/standby.ts";
import type { PeerAddress } from "../peers/peer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const urlOf = ({ host, port, user, password, database }: PeerAddress): string =>
  `postgres://${user}:${password}@${host}:${port}/${database}`;

/** A name that no other test uses: they share one PostgreSQL. */
export const newDeployment = (): string => `test-${randomUUID()}`;

export interface OwningProcess {
  readonly journal: SqliteJournal;
  readonly link: Link;
  readonly owner: Owner;
  /** A clean stop. */
  readonly stop: () => Promise<void>;
}

export interface Process {
  readonly databaseFile: string;
  readonly standby: Standby;
  /** Settles when it owns the deployment. */
  readonly owning: () => Promise<OwningProcess>;
}

/** One process of a deployment, without its server. */
export async function openProcess(given: {
  readonly url: string;
  readonly deployment: string;
  readonly leaseMs?: number;
  readonly patienceMs?: number;
  readonly databaseFile?: string;
  readonly sides?: readonly SideFile[];
}): Promise<Process> {
  const { url, deployment, leaseMs = 60_000, patienceMs = 60_000 } = given;
  const databaseFile = given.databaseFile ?? join(temporaryFolder(), "crossdock.db");
  const standby = await openStandby({
    ...{ url, deployment, leaseMs, owner: databaseFile, pollMs: 5, timeoutMs: 60_000, timers: systemTimers },
    copy: { databaseFile },
    sides: { dataFolder: dirname(databaseFile), files: given.sides ?? [] },
  });
  onTestFinished(() => standby.stop());
  return {
    databaseFile,
    standby,
    owning: async () => {
      const owner = await standby.owned;
      if (owner === null) throw new Error("the standby was stopped");
      const link = await openLink({ url, owner, patienceMs });
      const journal = await openSqliteJournal({ databaseFile, replica: link.replica });
      let isOpen = true;
      const stop = async () => {
        if (!isOpen) return;
        isOpen = false;
        await journal.close();
        await link.release();
        await link.end();
      };
      onTestFinished(stop);
      return { journal, link, owner, stop };
    },
  };
}

/** For a snapshot of the journal's file. */
export const ofJournal = (url: string, owner: Owner, databaseFile: string): SnapshotNeeds => ({
  ...{ url, owner, timeoutMs: 60_000, copyFile: `${databaseFile}.snapshot`, historyMs: 0 },
  freeze: () => openDatabase(databaseFile, { readOnly: true }),
  stored: async () => {},
});

/** As if the owner had been silent for longer than its lease. */
export async function endLease(url: string, deployment: string): Promise<void> {
  await onPostgres(
    url,
    `UPDATE ${schema}.deployment SET lease_until = now() - interval '1 s' WHERE name = '${deployment}'`,
  );
}

/** As if another process had taken the deployment over, and had ended. */
export async function endOwnership(url: string, deployment: string): Promise<void> {
  await onPostgres(
    url,
    `UPDATE ${schema}.deployment SET epoch = epoch + 1, owner = NULL, lease_until = now()
     WHERE name = '${deployment}' OR side_of = '${deployment}'`,
  );
}

export async function onPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await openClient({ url, name: "test", timeoutMs: 60_000 });
  const { rows } = await client.query<Record<string, unknown>>(sql).finally(() => client.end());
  return rows;
}

/** One batch for each. */
export async function storeSome(journal: Journal, count: number): Promise<string[]> {
  const entries = Array.from({ length: count }, () => newEntry({ lanes: [] }));
  for (const entry of entries) await journal.append([entry]);
  return entries.map(({ id }) => id);
}

export const idsIn = (journal: Journal): string[] => journal.read.open(0, 1_000).map(({ id }) => id);

/** As PostgreSQL answers when it cannot store, from the change after this number on; the returned function ends it. */
export async function refuseChanges(
  store: string,
  deployment: string,
  { code, text, after = 0 }: { readonly code: string; readonly text: string; readonly after?: number },
) {
  const name = `refuse_${deployment.replaceAll("-", "_")}`;
  await onPostgres(
    store,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION '${text}' USING ERRCODE = '${code}'; END $$;
     CREATE TRIGGER ${name} BEFORE INSERT ON ${schema}.change FOR EACH ROW
       WHEN (NEW.deployment = '${deployment}' AND NEW.number > ${after}) EXECUTE FUNCTION ${name}()`,
  );
  const repair = async () => {
    await onPostgres(store, `DROP FUNCTION IF EXISTS ${name} CASCADE`);
  };
  onTestFinished(repair);
  return repair;
}
