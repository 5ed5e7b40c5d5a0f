import type { Client } from "pg";
import type { Owner } from "./change-log.ts";
import { schema } from "./open-client.ts";

/** Side databases have changes and snapshots of their own, under a name that no deployment can have. */
export const sideStream = (deployment: string, file: string): string => `${deployment}/${file}`;

/** Creates the row of a side database, if this process still owns the deployment. */
export async function createSideStream(client: Client, main: Owner, file: string): Promise<void> {
  await client.query(
    `INSERT INTO ${schema}.deployment (name, epoch, lease_until, last_number, last_hash, side_of)
     SELECT $3, epoch, now(), 0, $4, name FROM ${schema}.deployment WHERE name = $1 AND epoch = $2
     ON CONFLICT DO NOTHING`,
    [main.deployment, main.epoch, sideStream(main.deployment, file), Buffer.alloc(32)],
  );
}
