import type { Client } from "pg";
import { schema } from "./open-client.ts";
import { unsafeSettings } from "./prepare-tables.ts";

/** What PostgreSQL knows about a deployment, for people. Times are by PostgreSQL's clock. */
export interface StoreStatus {
  /** Server settings that may lose confirmed commits, as sentences. */
  readonly unsafe: readonly string[];
  readonly serverVersion: string;
  /** The size of all deployments together. */
  readonly bytes: number;
  /** Null if PostgreSQL does not know the deployment. */
  readonly deployment: StoredDeployment | null;
}

export interface StoredDeployment {
  readonly epoch: number;
  readonly owner: string | null;
  readonly ownerUrl: string | null;
  /** How long the lease still lasts, negative if it is over; null without an owner. */
  readonly leaseMs: number | null;
  readonly movedTo: string | null;
  readonly changes: number;
  readonly lastChangeAt: string | null;
  /** The part of the history that is still there. */
  readonly log: { readonly changes: number; readonly since: string | null; readonly bytesSinceSnapshot: number };
  readonly snapshots: {
    readonly kept: number;
    readonly last: {
      readonly change: number;
      readonly at: string;
      readonly ageMs: number;
      readonly bytes: number;
    } | null;
  };
  /** The side databases, by name. */
  readonly sideFiles: readonly { readonly name: string; readonly changes: number }[];
}

/** Reads the status. Nothing is created, and no lease is changed. */
export async function storeStatus(client: Client, deployment: string): Promise<StoreStatus> {
  const unsafe = await unsafeSettings(client);
  const { rows } = await client.query<{ version: string; found: string | null }>(
    "SELECT current_setting('server_version') AS version, to_regclass($1)::text AS found",
    [`${schema}.deployment`],
  );
  const server = rows[0];
  const base = { unsafe, serverVersion: server?.version ?? "", bytes: 0, deployment: null };
  if (server?.found === null || server === undefined) return base;
  const sizes = await client.query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [schema],
  );
  return { ...base, bytes: Number(sizes.rows[0]?.bytes ?? 0), deployment: await stored(client, deployment) };
}

/** Returns how far PostgreSQL's clock is ahead of the given one; negative if it is behind. */
export async function clockAheadMs(client: Client, now: () => number): Promise<number> {
  const before = now();
  const { rows } = await client.query<{ ms: string }>("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms");
  return Math.round(Number(rows[0]?.ms) - (before + now()) / 2);
}

/** Who owns a deployment, and for how long. */
export type OwnerOfDeployment = Pick<StoredDeployment, "epoch" | "owner" | "ownerUrl" | "leaseMs">;

/** Returns the owners of many deployments at once; deployments that PostgreSQL does not know are missing. */
export async function ownersOf(client: Client, names: readonly string[]): Promise<Map<string, OwnerOfDeployment>> {
  const known = await client.query<{ found: string | null }>("SELECT to_regclass($1)::text AS found", [
    `${schema}.deployment`,
  ]);
  if (known.rows[0]?.found == null) return new Map();
  const { rows } = await client.query<Pick<Row, "epoch" | "owner" | "owner_url" | "lease_ms"> & { name: string }>(
    `SELECT name, epoch, owner, owner_url, ${leaseMs} AS lease_ms FROM ${schema}.deployment d WHERE name = ANY ($1)`,
    [names],
  );
  return new Map(rows.map((row) => [row.name, ownerIn(row)]));
}

/** Limited to a year: a lease without an end lasts longer than PostgreSQL can count. */
const leaseMs = "extract(epoch FROM least(d.lease_until, now() + interval '1 year') - now()) * 1000";

const ownerIn = (row: Pick<Row, "epoch" | "owner" | "owner_url" | "lease_ms">): OwnerOfDeployment => ({
  epoch: Number(row.epoch),
  owner: row.owner,
  ownerUrl: row.owner_url,
  leaseMs: row.owner === null ? null : Math.round(Number(row.lease_ms)),
});

/** Returns how long ago the first change was stored that a copy at this number has not applied; null if it has all. */
export async function lagMs(client: Client, deployment: string, number: number): Promise<number | null> {
  const { rows } = await client.query<{ ms: string }>(
    `SELECT extract(epoch FROM now() - at) * 1000 AS ms FROM ${schema}.change
     WHERE deployment = $1 AND number > $2 ORDER BY number LIMIT 1`,
    [deployment, number],
  );
  return rows[0] === undefined ? null : Math.max(0, Math.round(Number(rows[0].ms)));
}

interface Row {
  readonly epoch: string;
  readonly owner: string | null;
  readonly owner_url: string | null;
  readonly lease_ms: string;
  readonly moved_to: string | null;
  readonly last_number: string;
  readonly log_bytes: string;
  readonly first_number: string | null;
  readonly first_at: Date | null;
  readonly last_at: Date | null;
  readonly snapshots: string;
}

async function stored(client: Client, deployment: string): Promise<StoredDeployment | null> {
  const first = `FROM ${schema}.change WHERE deployment = d.name ORDER BY number LIMIT 1`;
  const last = `FROM ${schema}.change WHERE deployment = d.name ORDER BY number DESC LIMIT 1`;
  // Reads the column through the row as JSON, because the tables of an earlier version do not have it.
  const { rows } = await client.query<Row>(
    `SELECT d.epoch, d.owner, d.owner_url, ${leaseMs} AS lease_ms,
       to_jsonb(d)->>'moved_to' AS moved_to, d.last_number, d.log_bytes, (SELECT number ${first}) AS first_number,
       (SELECT at ${first}) AS first_at, (SELECT at ${last}) AS last_at,
       (SELECT count(*) FROM ${schema}.snapshot WHERE deployment = d.name) AS snapshots
     FROM ${schema}.deployment d WHERE d.name = $1`,
    [deployment],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const newest = await client.query<{ number: string; at: Date; age: string; bytes: string }>(
    `SELECT number, at, extract(epoch FROM now() - at) * 1000 AS age, bytes FROM ${schema}.snapshot
     WHERE deployment = $1 ORDER BY number DESC LIMIT 1`,
    [deployment],
  );
  const side = await client.query<{ name: string; last_number: string }>(
    `SELECT substr(name, length($1) + 2) AS name, last_number FROM ${schema}.deployment
     WHERE starts_with(name, $1 || '/') ORDER BY name`,
    [deployment],
  );
  const snapshot = newest.rows[0];
  const changes = Number(row.last_number);
  return {
    ...ownerIn(row),
    movedTo: row.moved_to,
    changes,
    lastChangeAt: row.last_at?.toISOString() ?? null,
    log: {
      changes: row.first_number === null ? 0 : changes - Number(row.first_number) + 1,
      since: row.first_at?.toISOString() ?? null,
      bytesSinceSnapshot: Number(row.log_bytes),
    },
    snapshots: {
      kept: Number(row.snapshots),
      last:
        snapshot === undefined
          ? null
          : {
              change: Number(snapshot.number),
              at: snapshot.at.toISOString(),
              ageMs: Math.max(0, Math.round(Number(snapshot.age))),
              bytes: Number(snapshot.bytes),
            },
    },
    sideFiles: side.rows.map(({ name, last_number }) => ({ name, changes: Number(last_number) })),
  };
}
