import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGzip } from "node:zlib";
import type { Client } from "pg";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { localCopy } from "../copy/local-copy.ts";
import type { Owner } from "../postgres/change-log.ts";
import { schema } from "../postgres/open-client.ts";
import type { StoredSnapshot } from "./restore-snapshot.ts";

/** So small that PostgreSQL stores a part in one statement without delaying anybody. */
const partBytes = 2 ** 20;
/** The snapshot before the newest is kept, with the complete log since, in case the newest turns out to be unusable. */
const snapshotsKept = 2;
/** How long the history is kept by default: long enough to notice a mistake of last week. */
const historyMsByDefault = 7 * 86_400_000;
/** A shorter log is applied faster than a snapshot is read. */
const leastLogBytes = 16 * 2 ** 20;

/** Whether a new snapshot should be made: the log since the last snapshot is longer than that snapshot. */
export async function isSnapshotDue(client: Client, { deployment }: Pick<Owner, "deployment">): Promise<boolean> {
  const { rows } = await client.query<{ due: boolean }>(
    `SELECT log_bytes > greatest($2, coalesce((SELECT bytes FROM ${schema}.snapshot WHERE deployment = $1
        ORDER BY number DESC LIMIT 1), 0)) AS due FROM ${schema}.deployment WHERE name = $1`,
    [deployment, leastLogBytes],
  );
  return rows[0]?.due === true;
}

/**
 * Stores a consistent copy of the owner's file, then removes what only older snapshots needed. The journal's backup
 * made the file, and the file itself says with which change it ends.
 */
export async function storeSnapshot(
  client: Client,
  { deployment, epoch }: Owner,
  file: string,
  historyMs = historyMsByDefault,
): Promise<number> {
  const database = openDatabase(file);
  const { number } = localCopy(database).position();
  database.close();
  const there = await client.query(`SELECT 1 FROM ${schema}.snapshot WHERE deployment = $1 AND number = $2`, [
    deployment,
    number,
  ]);
  if (there.rowCount === 1) return number;
  const { parts, bytes, sha256 } = await storeParts(client, { deployment, number }, file);
  const stored = await client.query(
    `WITH owned AS (
       UPDATE ${schema}.deployment SET log_bytes = (
         SELECT coalesce(sum(length(body)), 0) FROM ${schema}.change WHERE deployment = $1 AND number > $3)
       WHERE name = $1 AND epoch = $2 RETURNING name)
     INSERT INTO ${schema}.snapshot (deployment, number, parts, bytes, sha256) SELECT name, $3, $4, $5, $6 FROM owned`,
    [deployment, epoch, number, parts, bytes, sha256],
  );
  if (stored.rowCount !== 1) throw new Error("the deployment has another owner by now");
  await removeOld(client, deployment, historyMs);
  return number;
}

/** Stores only the parts. They count as a snapshot once a row in `snapshot` names them. */
export async function storeParts(
  client: Client,
  { deployment, number }: { readonly deployment: string; readonly number: number },
  file: string,
): Promise<StoredSnapshot> {
  // Deletes the parts of an unfinished snapshot.
  await client.query(
    `DELETE FROM ${schema}.snapshot_part p WHERE deployment = $1 AND NOT EXISTS (
       SELECT 1 FROM ${schema}.snapshot s WHERE s.deployment = p.deployment AND s.number = p.number)`,
    [deployment],
  );
  const hash = createHash("sha256");
  let parts = 0;
  let bytes = 0;
  for await (const part of inParts(createReadStream(file).pipe(createGzip({ level: 1 })))) {
    hash.update(part);
    bytes += part.length;
    await client.query(`INSERT INTO ${schema}.snapshot_part (deployment, number, part, body) VALUES ($1, $2, $3, $4)`, [
      deployment,
      number,
      parts,
      part,
    ]);
    parts++;
  }
  return { number, parts, bytes, sha256: hash.digest() };
}

/**
 * Removes what is older than the history. Any time within the history can be restored, so the snapshot before its
 * beginning is kept, and everything after it. A snapshot is made only when the log is longer than the last one, so all
 * snapshots together are not longer than the log that is kept.
 */
async function removeOld(client: Client, deployment: string, historyMs: number): Promise<void> {
  const { rows } = await client.query<{ number: string | null }>(
    `SELECT least(
       (SELECT number FROM ${schema}.snapshot WHERE deployment = $1 ORDER BY number DESC OFFSET $2 LIMIT 1),
       coalesce((SELECT max(number) FROM ${schema}.snapshot WHERE deployment = $1 AND at <= now() - $3 * interval '1 ms'), 0)
     ) AS number`,
    [deployment, snapshotsKept - 1, historyMs],
  );
  const oldest = rows[0]?.number;
  if (oldest === undefined || oldest === null) return;
  for (const table of ["snapshot", "snapshot_part"]) {
    await client.query(`DELETE FROM ${schema}.${table} WHERE deployment = $1 AND number < $2`, [deployment, oldest]);
  }
  // The change at the snapshot itself is kept, because copies compare their position with it.
  await client.query(`DELETE FROM ${schema}.change WHERE deployment = $1 AND number < $2`, [deployment, oldest]);
}

async function* inParts(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < partBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
