import { createHash } from "node:crypto";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Client } from "pg";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { schema } from "../postgres/open-client.ts";

/** A complete copy in PostgreSQL. */
export interface StoredSnapshot {
  readonly number: number;
  readonly parts: number;
  readonly bytes: number;
  readonly sha256: Uint8Array;
}

/** Thrown when a snapshot in PostgreSQL differs from what was stored. */
export class SnapshotDamaged extends Error {
  override readonly name = "SnapshotDamaged";
}

/**
 * How much is uncompressed and written at a time. With the usual 16 KiB, a file of 1 GB goes to other threads and back a
 * hundred thousand times, and on a busy machine each time waits.
 */
const chunkBytes = 2 ** 20;

/** Returns the snapshots of a deployment, newest first. */
export async function snapshotsOf(client: Client, deployment: string): Promise<readonly StoredSnapshot[]> {
  const { rows } = await client.query<{ number: string; parts: number; bytes: string; sha256: Buffer }>(
    `SELECT number, parts, bytes, sha256 FROM ${schema}.snapshot WHERE deployment = $1 ORDER BY number DESC`,
    [deployment],
  );
  return rows.map((row) => ({ ...row, number: Number(row.number), bytes: Number(row.bytes) }));
}

/** Writes a snapshot into the file. The file appears only when it is complete and checked against what was stored. */
export async function restoreSnapshot(
  request: ReconnectingClient["request"],
  given: { readonly deployment: string; readonly snapshot: StoredSnapshot; readonly file: string },
  onPart: (done: number, of: number) => void = () => {},
): Promise<void> {
  const { deployment, snapshot, file } = given;
  const hash = createHash("sha256");
  const unfinished = `${file}.restoring`;
  const partOf = async (part: number) => {
    const { rows } = await request((client) =>
      client.query<{ body: Buffer }>(
        `SELECT body FROM ${schema}.snapshot_part WHERE deployment = $1 AND number = $2 AND part = $3`,
        [deployment, snapshot.number, part],
      ),
    );
    return rows[0]?.body;
  };
  async function* read() {
    let next = partOf(0);
    for (let part = 0; part < snapshot.parts; part++) {
      const body = await next;
      // Read while this part is uncompressed and written.
      if (part + 1 < snapshot.parts) next = partOf(part + 1);
      next.catch(() => {
        // Whoever reads on gets the error.
      });
      if (body === undefined) throw new SnapshotDamaged(`part ${part} of the snapshot ${snapshot.number} is missing`);
      hash.update(body);
      yield body;
      onPart(part + 1, snapshot.parts);
    }
    if (Buffer.compare(hash.digest(), snapshot.sha256) !== 0) {
      throw new SnapshotDamaged(`the snapshot ${snapshot.number} is not what was stored`);
    }
  }
  try {
    await pipeline(
      // One part at a time: each has a megabyte.
      Readable.from(read(), { highWaterMark: 1 }),
      createGunzip({ chunkSize: chunkBytes }),
      createWriteStream(unfinished, { mode: 0o600, highWaterMark: 4 * chunkBytes }),
    );
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    // Data that cannot be uncompressed is damaged, too.
    const isZlib = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isZlib
      ? new SnapshotDamaged(`the snapshot ${snapshot.number} cannot be uncompressed: ${error.message}`)
      : error;
  }
}
