import type { Client } from "pg";
import type { Position } from "../change.ts";
import type { StoredSnapshot } from "../snapshot/restore-snapshot.ts";
import { schema } from "./open-client.ts";
import type { Claim } from "./ownership.ts";

/**
 * Claims a deployment for a move. Unlike an ordinary claim, it also claims a deployment that was moved away, and one
 * that an interrupted move has claimed: the repeated move has the same name, and the lock of its folder makes sure that
 * it is the only one.
 */
export async function claimForMove(client: Client, { deployment, owner, leaseMs }: Claim): Promise<number | null> {
  const { rows } = await client.query<{ epoch: string }>(
    `WITH claimed AS (
       UPDATE ${schema}.deployment
       SET epoch = epoch + 1, owner = $2, owner_url = NULL, lease_until = now() + $3 * interval '1 ms'
       WHERE name = $1 AND (owner IS NULL OR owner = $2 OR lease_until <= now() OR moved_to IS NOT NULL) RETURNING epoch),
     sides AS (
       UPDATE ${schema}.deployment side SET epoch = claimed.epoch FROM claimed WHERE side.side_of = $1)
     SELECT epoch FROM claimed`,
    [deployment, owner, leaseMs],
  );
  return rows[0] === undefined ? null : Number(rows[0].epoch);
}

/** Whether the history of the deployment contains this hash, with which a move begins. */
export async function hasMoved(client: Client, deployment: string, hash: Uint8Array): Promise<boolean> {
  const found = await client.query(`SELECT 1 FROM ${schema}.change WHERE deployment = $1 AND hash = $2 LIMIT 1`, [
    deployment,
    hash,
  ]);
  return found.rowCount !== 0;
}

/** A stream whose snapshot is complete in PostgreSQL but not yet valid, because no row names it. */
export interface MovedStream {
  readonly deployment: string;
  readonly epoch: number;
  readonly position: Position;
  readonly snapshot: StoredSnapshot;
  /** The layout of its tables; null for a side database. */
  readonly layout: string | null;
}

/**
 * Commits a move: from now on the deployment is in PostgreSQL. Its first change is empty, and the hash of that change
 * follows from no earlier one, so no copy can get past it without the snapshot.
 */
export async function commitMove(client: Client, streams: readonly MovedStream[]): Promise<void> {
  await client.query("BEGIN");
  try {
    for (const { deployment, epoch, position, snapshot, layout } of streams) {
      const { number, hash } = position;
      const ours = await client.query(
        `UPDATE ${schema}.deployment SET last_number = $3, last_hash = $4, log_bytes = 0, moved_to = NULL, owner = NULL,
           owner_url = NULL, lease_until = now() WHERE name = $1 AND epoch = $2 AND last_number = $3::bigint - 1`,
        [deployment, epoch, number, hash],
      );
      if (ours.rowCount !== 1) throw new Error(`another process has taken the deployment ${deployment} meanwhile`);
      await client.query(
        `INSERT INTO ${schema}.change (deployment, number, epoch, hash, body, layout) VALUES ($1, $2, $3, $4, '', $5)`,
        [deployment, number, epoch, hash, layout],
      );
      await client.query(
        `INSERT INTO ${schema}.snapshot (deployment, number, parts, bytes, sha256) VALUES ($1, $2, $3, $4, $5)`,
        [deployment, number, snapshot.parts, snapshot.bytes, snapshot.sha256],
      );
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {
      // The connection is lost, and so is the transaction.
    });
    throw error;
  }
}

/** Marks the deployment as moved: from now on nobody can own it in PostgreSQL. Its data stays there. */
export async function markMoved(
  client: Client,
  { deployment, epoch }: { readonly deployment: string; readonly epoch: number },
  to: string,
): Promise<void> {
  const marked = await client.query(
    `UPDATE ${schema}.deployment SET moved_to = $3, owner = NULL, owner_url = NULL, lease_until = now()
     WHERE name = $1 AND epoch = $2`,
    [deployment, epoch, to],
  );
  if (marked.rowCount !== 1) throw new Error(`another process has taken the deployment ${deployment} meanwhile`);
}
