import type { Client } from "pg";
import type { Change, Position } from "../change.ts";
import { schema } from "./open-client.ts";

/** What PostgreSQL knows about a deployment. */
export interface DeploymentState extends Position {
  readonly epoch: number;
  readonly owner: string | null;
  readonly ownerUrl: string | null;
  /** Decided by PostgreSQL's clock, so that the clocks of the processes do not matter. */
  readonly isLeaseOver: boolean;
  /** How long the lease has been over; negative while it lasts. */
  readonly leaseOverMs: number;
  /** Where the deployment was moved to; null if its data is here. */
  readonly movedTo: string | null;
  /** The layout of the last change; null if it has none. */
  readonly layout: string | null;
  /** The owner's settings of the projection, as JSON. */
  readonly settings: string | null;
  /** The last change of each side database, by the name of its stream. */
  readonly sides: ReadonlyMap<string, Position>;
}

export interface Owner {
  readonly deployment: string;
  readonly epoch: number;
  readonly leaseMs: number;
}

/** Limits of what is read from the log at a time. */
const pageBytes = 8 * 2 ** 20;
const pageChanges = 500;

/** Returns the state of a deployment; null if there is no such deployment. */
export async function findDeployment(client: Client, deployment: string): Promise<DeploymentState | null> {
  return (await findDeployments(client, [deployment])).get(deployment) ?? null;
}

/** Returns the layout of the last change; null if it is not known. Also reads the tables of earlier versions. */
export async function layoutStored(client: Client, deployment: string): Promise<string | null> {
  const { rows } = await client.query<{ layout: string | null }>(
    `SELECT to_jsonb(one)->>'layout' AS layout FROM ${schema}.change one
     WHERE deployment = $1 ORDER BY number DESC LIMIT 1`,
    [deployment],
  );
  return rows[0]?.layout ?? null;
}

/** Returns the states of those deployments that there are, by name. */
export async function findDeployments(
  client: Client,
  deployments: readonly string[],
): Promise<ReadonlyMap<string, DeploymentState>> {
  const { rows } = await client.query<StateRow>({
    name: "deployment-states",
    text: `SELECT name, epoch, owner, owner_url, lease_until <= now() AS is_over,
        extract(epoch FROM now() - lease_until)::float8 * 1000 AS over_ms, moved_to, settings, last_number, last_hash,
        (SELECT layout FROM ${schema}.change WHERE deployment = name AND number = last_number) AS layout,
        (SELECT json_agg(json_build_array(side.name, side.last_number, encode(side.last_hash, 'hex')))
          FROM ${schema}.deployment side WHERE side.side_of = one.name) AS sides
      FROM ${schema}.deployment one WHERE name = ANY($1)`,
    values: [deployments],
  });
  return new Map(rows.map((row) => [row.name, stateOf(row)]));
}

/** Returns the state of a deployment, and creates the deployment if it does not exist. */
export async function deploymentState(client: Client, deployment: string): Promise<DeploymentState> {
  const found = await findDeployment(client, deployment);
  if (found !== null) return found;
  await client.query(
    `INSERT INTO ${schema}.deployment (name, epoch, lease_until, last_number, last_hash)
     VALUES ($1, 0, now(), 0, $2) ON CONFLICT DO NOTHING`,
    [deployment, Buffer.alloc(32)],
  );
  const made = await findDeployment(client, deployment);
  if (made === null) throw new Error(`the deployment ${deployment} was removed from PostgreSQL meanwhile`);
  return made;
}

/** Returns changes after a number, oldest first. It may not return all of them, but at least one if there is one. */
export async function changesAfter(client: Client, deployment: string, number: number): Promise<readonly Change[]> {
  const { rows } = await client.query<ChangeRow>({
    name: "changes-after",
    text: `SELECT number, hash, body, layout FROM (
        SELECT number, hash, body, layout, sum(length(body)) OVER (ORDER BY number) - length(body) AS before
        FROM (SELECT * FROM ${schema}.change WHERE deployment = $1 AND number > $2 ORDER BY number LIMIT $3) AS page
      ) AS sized WHERE before < $4 ORDER BY number`,
    values: [deployment, number, pageChanges, pageBytes],
  });
  return rows.map((row) => ({ number: Number(row.number), hash: row.hash, body: row.body, layout: row.layout }));
}

/** The driver returns 64-bit integers as text. */
interface StateRow {
  readonly name: string;
  readonly epoch: string;
  readonly owner: string | null;
  readonly owner_url: string | null;
  readonly is_over: boolean;
  readonly over_ms: number;
  readonly moved_to: string | null;
  readonly settings: string | null;
  readonly layout: string | null;
  readonly last_number: string;
  readonly last_hash: Buffer;
  /** Null without side databases. */
  readonly sides: readonly (readonly [name: string, number: number, hash: string])[] | null;
}
interface ChangeRow {
  readonly number: string;
  readonly hash: Buffer;
  readonly body: Buffer;
  readonly layout: string | null;
}

const stateOf = (row: StateRow): DeploymentState => ({
  epoch: Number(row.epoch),
  owner: row.owner,
  ownerUrl: row.owner_url,
  isLeaseOver: row.is_over,
  leaseOverMs: row.over_ms,
  movedTo: row.moved_to,
  settings: row.settings,
  layout: row.layout,
  number: Number(row.last_number),
  hash: row.last_hash,
  sides: new Map(row.sides?.map(([name, number, hash]) => [name, { number, hash: Buffer.from(hash, "hex") }])),
});
