import type { Client } from "pg";
import { schema } from "./open-client.ts";

/** The number of a migration is its position. A released migration is never edited, only followed by another. */
const migrations: readonly string[] = [
  `CREATE TABLE ${schema}.deployment (
     name text PRIMARY KEY,
     -- Rises with each change of the owner: a former owner's epoch is refused.
     epoch bigint NOT NULL,
     owner text,
     owner_url text,
     lease_until timestamptz NOT NULL,
     last_number bigint NOT NULL,
     last_hash bytea NOT NULL,
     -- Of the changes since the last snapshot.
     log_bytes bigint NOT NULL DEFAULT 0,
     -- A side database has a row of its own, because it has its own changes and snapshots.
     side_of text REFERENCES ${schema}.deployment (name)
   ) WITH (fillfactor = 50);
   CREATE INDEX deployment_by_side_of ON ${schema}.deployment (side_of) WHERE side_of IS NOT NULL;
   CREATE TABLE ${schema}.change (
     -- Without a foreign key: the statement that adds a change takes the name from the deployment's row (change-log.ts).
     deployment text NOT NULL,
     number bigint NOT NULL,
     epoch bigint NOT NULL,
     hash bytea NOT NULL,
     body bytea NOT NULL,
     at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (deployment, number)
   );
   -- Changesets are not compressible enough to be worth the owner's waiting for it.
   ALTER TABLE ${schema}.change ALTER COLUMN body SET STORAGE EXTERNAL;
   -- A whole copy, compressed, as of a change. It counts once its row is here, which comes after all of its parts.
   CREATE TABLE ${schema}.snapshot (
     deployment text NOT NULL REFERENCES ${schema}.deployment (name),
     number bigint NOT NULL,
     parts integer NOT NULL,
     bytes bigint NOT NULL,
     sha256 bytea NOT NULL,
     at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (deployment, number)
   );
   CREATE TABLE ${schema}.snapshot_part (
     deployment text NOT NULL,
     number bigint NOT NULL,
     part integer NOT NULL,
     body bytea NOT NULL,
     PRIMARY KEY (deployment, number, part)
   );
   ALTER TABLE ${schema}.snapshot_part ALTER COLUMN body SET STORAGE EXTERNAL;`,
  `-- Where the deployment was moved to; nobody may own it here any more.
   ALTER TABLE ${schema}.deployment ADD COLUMN moved_to text;
   -- Of the owner's configuration: what a standby must have as well.
   ALTER TABLE ${schema}.deployment ADD COLUMN settings text;
   -- The version of the tables that a change belongs to (see layout.ts); null: of the first program that stored changes.
   ALTER TABLE ${schema}.change ADD COLUMN layout text;
   -- Known to every process that may use this database, and to nobody else.
   CREATE TABLE ${schema}.secret (name text PRIMARY KEY, value text NOT NULL);
   INSERT INTO ${schema}.secret (name, value)
     VALUES ('passing-on', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));`,
  `-- Processes that serve many deployments together, and which of these they could take over at once.
   CREATE TABLE ${schema}.process (
     name text PRIMARY KEY,
     weight double precision NOT NULL,
     warm text[] NOT NULL,
     seen timestamptz NOT NULL
   );`,
];

/** The version of the tables that this program needs. */
export const newestTables = migrations.length;

/** Returns the version of the tables; 0 if there are none. Changes nothing. */
export async function tablesVersion(client: Client): Promise<number> {
  const known = await client.query<{ found: string | null }>("SELECT to_regclass($1)::text AS found", [
    `${schema}.migration`,
  ]);
  if (known.rows[0]?.found == null) return 0;
  const done = await client.query<{ last: number | null }>(
    `SELECT max(number)::integer AS last FROM ${schema}.migration`,
  );
  return done.rows[0]?.last ?? 0;
}

/**
 * The number of the lock that lets only one process migrate at a time. Any number works, if it is the same in all
 * processes.
 */
const migrationLock = 471_102_026;

/** Thrown when a newer Crossdock created the tables. */
export class NewerTables extends Error {
  override readonly name = "NewerTables";
}

/** Thrown when the schema exists and does not belong to Crossdock. */
export class OtherTables extends Error {
  override readonly name = "OtherTables";
}

/**
 * Creates or migrates the tables. It is safe if several processes start at once. It needs the right to create a schema
 * only if there is none yet.
 */
export async function prepareTables(client: Client): Promise<void> {
  // The lock lets one connection in at a time, and a process with many deployments opens many.
  if (await areTablesCurrent(client)) return;
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    await client.query(`${(await hasSchema(client)) ? "" : `CREATE SCHEMA ${schema};`}
      CREATE TABLE IF NOT EXISTS ${schema}.migration (number integer PRIMARY KEY)`);
    const done = await client.query<{ last: number }>(
      `SELECT coalesce(max(number), 0)::integer AS last FROM ${schema}.migration`,
    );
    const last = done.rows[0]?.last ?? 0;
    if (last > migrations.length) {
      throw new NewerTables(
        `the tables in the schema "${schema}" were made by a newer Crossdock (version ${last}, this one knows ${migrations.length})`,
      );
    }
    for (const [index, sql] of migrations.entries()) {
      if (index < last) continue;
      await client.query(sql);
      await client.query(`INSERT INTO ${schema}.migration (number) VALUES ($1)`, [index + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {
      // The connection is lost, and so is the transaction.
    });
    throw error;
  }
}

async function areTablesCurrent(client: Client): Promise<boolean> {
  try {
    const done = await client.query<{ last: number }>(`SELECT max(number)::integer AS last FROM ${schema}.migration`);
    return done.rows[0]?.last === migrations.length;
  } catch {
    // There are no tables yet, or the cause is found below.
    return false;
  }
}

async function hasSchema(client: Client): Promise<boolean> {
  const there = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (there.rowCount === 0) return false;
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY table_name",
    [schema],
  );
  if (rows.length === 0) return true;
  const { rows: columns } = await client.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'migration'",
    [schema],
  );
  // Other programs have a table of this name as well.
  if (columns.length === 1 && columns[0]?.name === "number") return true;
  const found = rows.find(({ name }) => name !== "migration") ?? rows[0];
  throw new OtherTables(
    `the schema "${schema}" of this database belongs to another program: it has a table ${found?.name}`,
  );
}

/** Returns, as sentences, the server settings with which a power cut loses confirmed commits. */
export async function unsafeSettings(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting IN ('off', 'local')`,
  );
  return rows.map(({ name, setting }) =>
    setting === "local"
      ? `PostgreSQL's ${name} is ${setting}: after a failover to its standby, acknowledged events may be lost`
      : `PostgreSQL's ${name} is ${setting}: after a power cut, acknowledged events may be lost`,
  );
}
