import { rmSync } from "node:fs";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { Owner } from "../postgres/change-log.ts";
import { hangUp, openClient } from "../postgres/open-client.ts";
import { isSnapshotDue, storeSnapshot } from "./store-snapshot.ts";

export interface SnapshotNeeds {
  readonly url: string;
  readonly owner: Owner;
  /** Opens a connection that reads the file as it is now, while others write to it; null if it cannot be read now. */
  readonly freeze: () => Database | null;
  /** Resolves when PostgreSQL has everything that the frozen connection reads. */
  readonly stored: () => Promise<void>;
  /** The path of the copy until it is stored. */
  readonly copyFile: string;
  readonly timeoutMs: number;
  /** How far back the deployment can be restored. */
  readonly historyMs?: number;
}

/** Makes a snapshot of the owner's file now and returns its number; null if the file cannot be read now. */
export async function makeSnapshot(needs: SnapshotNeeds): Promise<number | null> {
  const { url, owner, copyFile, timeoutMs, historyMs } = needs;
  const reader = needs.freeze();
  if (reader === null) return null;
  try {
    rmSync(copyFile, { force: true });
    await reader.backup(copyFile);
    await needs.stored();
    const client = await openClient({ url, name: `crossdock snapshot ${owner.deployment}`, timeoutMs });
    return await storeSnapshot(client, owner, copyFile, historyMs).finally(() => hangUp(client));
  } finally {
    reader.close();
    rmSync(copyFile, { force: true });
  }
}

const checkEveryMs = 60_000;

/**
 * Makes a snapshot of each file whose log has become longer than the last snapshot. The returned function stops this,
 * and settles when no file is open any more.
 */
export function keepSnapshots(
  files: readonly SnapshotNeeds[],
  needs: {
    readonly store: { readonly url: string; readonly deployment: string; readonly timeoutMs: number };
    readonly timers: Timers;
    readonly notify: (text: string) => void;
  },
): () => Promise<void> {
  const { store, timers, notify } = needs;
  let isStopped = false;
  let cancel = () => {};
  let looking: Promise<void> = Promise.resolve();
  const later = () => {
    cancel = timers.after(checkEveryMs, () => {
      looking = check();
    });
  };
  const check = async () => {
    try {
      for (const file of await dueFiles()) if (!isStopped) await makeSnapshot(file);
    } catch (error) {
      if (!isStopped)
        notify(`No snapshot could be stored; the log stays longer: ${error instanceof Error ? error.message : error}.`);
    }
    if (!isStopped) later();
  };
  const dueFiles = async () => {
    const due: SnapshotNeeds[] = [];
    const { url, deployment, timeoutMs } = store;
    const client = await openClient({ url, name: `crossdock snapshot ${deployment}`, timeoutMs });
    try {
      for (const file of files) if (await isSnapshotDue(client, file.owner)) due.push(file);
    } finally {
      await hangUp(client);
    }
    return due;
  };
  later();
  return async () => {
    isStopped = true;
    cancel();
    await looking;
  };
}
