import type { Client } from "pg";
import { schema } from "../postgres/open-client.ts";

/** The state of a deployment after a change. */
export interface PointInTime {
  readonly number: number;
  readonly at: Date;
}

export interface Restorable {
  readonly first: PointInTime;
  readonly last: PointInTime;
  /** The oldest first. A time soon after a snapshot is restored fastest. */
  readonly snapshots: readonly (PointInTime & { readonly bytes: number })[];
}

/**
 * Returns what can be restored: everything between the oldest snapshot and the last change. Null if there is nothing.
 */
export async function restorable(client: Client, deployment: string): Promise<Restorable | null> {
  const snapshots = await client.query<{ number: string; at: Date; bytes: string }>(
    `SELECT s.number, c.at, s.bytes FROM ${schema}.snapshot s
     JOIN ${schema}.change c ON c.deployment = s.deployment AND c.number = s.number
     WHERE s.deployment = $1 ORDER BY s.number`,
    [deployment],
  );
  const ends = await client.query<{ number: string; at: Date; is_whole: boolean }>(
    `(SELECT number, at, number = 1 AND length(body) > 0 AS is_whole FROM ${schema}.change
       WHERE deployment = $1 ORDER BY number LIMIT 1)
     UNION ALL (SELECT number, at, false FROM ${schema}.change WHERE deployment = $1 ORDER BY number DESC LIMIT 1)`,
    [deployment],
  );
  const [oldest, newest] = ends.rows;
  const points = snapshots.rows.map((row) => ({ number: Number(row.number), at: row.at, bytes: Number(row.bytes) }));
  // If the log still has the first change, no snapshot is needed.
  const first = oldest?.is_whole === true ? pointOf(oldest) : points[0];
  if (first === undefined || newest === undefined) return null;
  return { first, last: pointOf(newest), snapshots: points };
}

/**
 * Returns the last change at or before a time; null if there is none. Numbers have no gaps, and times rise with them.
 */
export async function changeAt(client: Client, deployment: string, time: Date): Promise<PointInTime | null> {
  const known = await restorable(client, deployment);
  if (known === null || known.first.at > time) return null;
  if (known.last.at <= time) return known.last;
  let low = known.first;
  let high = known.last.number;
  while (high - low.number > 1) {
    const middle = Math.floor((low.number + high) / 2);
    const { rows } = await client.query<{ number: string; at: Date }>(
      `SELECT number, at FROM ${schema}.change WHERE deployment = $1 AND number = $2`,
      [deployment, middle],
    );
    const row = rows[0];
    if (row === undefined) throw new Error(`change ${middle} of ${deployment} is missing in PostgreSQL`);
    if (row.at <= time) low = pointOf(row);
    else high = middle;
  }
  return low;
}

const pointOf = ({ number, at }: { number: string; at: Date }): PointInTime => ({ number: Number(number), at });
