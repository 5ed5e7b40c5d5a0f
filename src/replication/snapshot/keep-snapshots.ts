import { rmSync } from "node:fs";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Owner } from "../postgres/change-log.ts";
import { hangUp, openClient } from "../postgres/open-client.ts";
import { isSnapshotDue, storeSnapshot } from "./store-snapshot.ts";

export interface SnapshotNeeds {
  readonly url: string;
  readonly owner: Owner;
  /** The owner's file, which others write to meanwhile. */
  readonly databaseFile: string;
  readonly timeoutMs: number;
  /** How far back the deployment can be restored. */
  readonly historyMs?: number;
}

/** Makes a snapshot of the owner's file now and returns its number. */
export async function makeSnapshot({ url, owner, databaseFile, timeoutMs, historyMs }: SnapshotNeeds): Promise<number> {
  const file = `${databaseFile}.snapshot`;
  const client = await openClient({ url, name: `crossdock snapshot ${owner.deployment}`, timeoutMs });
  const reader = openDatabase(databaseFile, { readOnly: true });
  try {
    rmSync(file, { force: true });
    await reader.backup(file);
    return await storeSnapshot(client, owner, file, historyMs);
  } finally {
    reader.close();
    rmSync(file, { force: true });
    await hangUp(client);
  }
}

const lookEveryMs = 60_000;

/**
 * Makes a snapshot whenever the log has become longer than one. The returned function ends that, and settles when nothing
 * has the file open any more.
 */
export function keepSnapshots(
  needs: SnapshotNeeds & { readonly timers: Timers; readonly notify: (text: string) => void },
): () => Promise<void> {
  const { url, owner, timers, timeoutMs, notify } = needs;
  let isStopped = false;
  let cancel = () => {};
  let looking: Promise<void> = Promise.resolve();
  const later = () => {
    cancel = timers.after(lookEveryMs, () => {
      looking = look();
    });
  };
  const look = async () => {
    try {
      const client = await openClient({ url, name: `crossdock snapshot ${owner.deployment}`, timeoutMs });
      const isDue = await isSnapshotDue(client, owner).finally(() => hangUp(client));
      if (isDue && !isStopped) await makeSnapshot(needs);
    } catch (error) {
      if (!isStopped)
        notify(`No snapshot could be stored; the log stays longer: ${error instanceof Error ? error.message : error}.`);
    }
    if (!isStopped) later();
  };
  later();
  return async () => {
    isStopped = true;
    cancel();
    await looking;
  };
}
