import { createHash } from "node:crypto";
import type { Client } from "pg";
import type { Owner } from "./change-log.ts";
import { schema } from "./open-client.ts";

export interface Claim {
  readonly deployment: string;
  /** The name of the process, which no other process has. */
  readonly owner: string;
  readonly leaseMs: number;
}

/** Claims the deployment; returns the new epoch, or null if another process owns it and its lease is not over. */
export async function claimOwnership(client: Client, { deployment, owner, leaseMs }: Claim): Promise<number | null> {
  const { rows } = await client.query<{ epoch: string }>(
    `WITH claimed AS (
       UPDATE ${schema}.deployment
       SET epoch = epoch + 1, owner = $2, owner_url = NULL, lease_until = now() + $3 * interval '1 ms'
       -- This process itself may be the owner: if it failed right after its claim, it need not wait for its own lease.
       WHERE name = $1 AND moved_to IS NULL AND (owner IS NULL OR owner = $2 OR lease_until <= now()) RETURNING epoch),
     -- The former owner may not write to its side databases any more, either.
     sides AS (
       UPDATE ${schema}.deployment side SET epoch = claimed.epoch FROM claimed WHERE side.side_of = $1)
     SELECT epoch FROM claimed`,
    [deployment, owner, leaseMs],
  );
  return rows[0] === undefined ? null : Number(rows[0].epoch);
}

/** Renews the lease; false if the deployment has another owner by now. */
export async function renewLease(client: Client, { deployment, epoch, leaseMs }: Owner): Promise<boolean> {
  const renewed = await client.query({
    name: "renew-lease",
    text: `UPDATE ${schema}.deployment SET lease_until = now() + $3 * interval '1 ms' WHERE name = $1 AND epoch = $2`,
    values: [deployment, epoch, leaseMs],
  });
  return renewed.rowCount === 1;
}

/** Stores where the other processes reach the owner, and how the owner is configured. */
export async function publishUrl(
  client: Client,
  { deployment, epoch }: Owner,
  { url, settings }: { readonly url: string; readonly settings: string },
): Promise<void> {
  await client.query(
    `WITH told AS (
       UPDATE ${schema}.deployment SET owner_url = $3, settings = $4 WHERE name = $1 AND epoch = $2 RETURNING name)
     SELECT pg_notify($5, '') FROM told`,
    [deployment, epoch, url, settings, ownerChannel(deployment)],
  );
}

/**
 * The channel on which PostgreSQL reports that the deployment was released or has a new owner. Names of channels are
 * short. Only these two statements notify: notifications make PostgreSQL commit one transaction after the other.
 */
export const ownerChannel = (deployment: string): string =>
  `crossdock_${createHash("sha256").update(deployment).digest("hex").slice(0, 32)}`;

/** Releases the deployment, so that a standby need not wait for the end of the lease. */
export async function releaseOwnership(client: Client, { deployment, epoch }: Owner): Promise<void> {
  await client.query(
    `WITH released AS (
       UPDATE ${schema}.deployment SET owner = NULL, owner_url = NULL, lease_until = now()
       WHERE name = $1 AND epoch = $2 RETURNING name)
     SELECT pg_notify($3, '') FROM released`,
    [deployment, epoch, ownerChannel(deployment)],
  );
}
