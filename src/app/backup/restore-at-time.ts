import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beginWitness } from "../../journal/sqlite/damage/plan-recovery.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import type { CopyOptions } from "../../replication/copy/open-copy.ts";
import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { StoreUnusable, storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { buildCopy } from "../../replication/snapshot/build-copy.ts";
import { changeAt, type PointInTime, type Restorable, restorable } from "../../replication/snapshot/points-in-time.ts";
import { streamsOf } from "../move/move-to-postgres.ts";

export interface TimeNeeds {
  readonly url: string;
  readonly deployment: string;
}

const statementMs = 60_000;

/** Which times can be restored; null if there are none. */
export const restorableTimes = ({ url, deployment }: TimeNeeds): Promise<Restorable | null> =>
  withClient(url, (client) => restorable(client, deployment));

/** Builds a data folder of its own, as the deployment was at a time; null if PostgreSQL does not know that time. */
export function restoreAtTime(
  needs: TimeNeeds & {
    readonly at: Date;
    /** Must not exist yet. */
    readonly into: string;
    readonly projection: Pick<CopyOptions, "projectionModule" | "projectionOptions">;
    readonly notify: (text: string) => void;
  },
): Promise<PointInTime | null> {
  const { url, deployment, at, into, projection, notify } = needs;
  const staged = `${into}.part`;
  return withClient(url, async (client) => {
    if (existsSync(into)) throw new StoreUnusable(`${into} already exists`, "name a new folder with --into", null);
    const point = await changeAt(client, deployment, at);
    if (point === null) return null;
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(staged, { recursive: true, mode: 0o700 });
    try {
      for (const { name, stream } of streamsOf(deployment)) {
        const last = stream === deployment ? point : await changeAt(client, stream, at);
        if (last === null) continue;
        const databaseFile = join(staged, name);
        const copy = { databaseFile, ...(stream === deployment ? projection : {}) };
        await buildCopy(client, { deployment: stream, upTo: last.number, copy, notify });
        const database = openDatabase(databaseFile);
        // It is no copy of the deployment any more, but a beginning of its own.
        database.exec("DROP TABLE copy_position");
        database.close();
      }
      beginWitness(join(staged, "crossdock.db"));
      for (const { name } of streamsOf(deployment)) rmSync(join(staged, `${name}.lock`), { force: true });
      renameSync(staged, into);
      return point;
    } finally {
      rmSync(staged, { recursive: true, force: true });
    }
  });
}

async function withClient<Done>(
  url: string,
  use: (client: Awaited<ReturnType<typeof openClient>>) => Promise<Done>,
): Promise<Done> {
  const client = await openClient({ url, name: "crossdock restore", timeoutMs: statementMs }).catch((error) => {
    throw storeUnusable(error, url);
  });
  try {
    return await use(client);
  } finally {
    await hangUp(client);
  }
}
