import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { beginCopy } from "../../journal/sqlite/recovery/plan-recovery.ts";
import { syncFolderNow } from "../../kit/files/sync-folder.ts";
import type { CopyOptions } from "../../replication/copy/open-copy.ts";
import { hangUp, openClient } from "../../replication/postgres/open-client.ts";
import { StoreUnusable, storeUnusable } from "../../replication/postgres/store-unusable.ts";
import { buildCopy } from "../../replication/snapshot/build-copy.ts";
import { changeAt, type PointInTime, type Restorable, restorable } from "../../replication/snapshot/points-in-time.ts";
import { forgetPosition, streamsOf } from "../move/streams-of.ts";
import { writeFailure } from "./write-failure.ts";

export interface TimeNeeds {
  readonly url: string;
  readonly deployment: string;
}

const statementMs = 60_000;

/** Which times can be restored; null if there are none. */
export const restorableTimes = ({ url, deployment }: TimeNeeds): Promise<Restorable | null> =>
  withClient(url, (client) => restorable(client, deployment));

/** Builds a new data folder with the state of the deployment at a time; null if PostgreSQL does not know that time. */
export function restoreAtTime(
  needs: TimeNeeds & {
    readonly at: Date;
    /** The new folder, which must not exist yet. */
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
      for (const { name, stream, isJournal, open } of streamsOf(deployment)) {
        const last = isJournal ? point : await changeAt(client, stream, at);
        if (last === null) continue;
        const file = join(staged, name);
        await buildCopy(client, { deployment: stream, upTo: last.number, open: () => open(file, projection), notify });
        forgetPosition(file);
      }
      beginCopy(join(staged, "crossdock.db"));
      rmSync(join(staged, "crossdock.db.lock"), { force: true });
      syncFolderNow(staged);
      renameSync(staged, into);
      syncFolderNow(dirname(into));
      return point;
    } catch (error) {
      throw writeFailure(error, into);
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
