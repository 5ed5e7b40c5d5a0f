import type { Client } from "pg";
import type { Position } from "../change.ts";
import type { OpenCopy } from "../copy/open-copy.ts";
import { changesAfter } from "../postgres/change-log.ts";
import { restoreSnapshot, SnapshotDamaged, snapshotsOf } from "./restore-snapshot.ts";

export interface BuildNeeds {
  readonly deployment: string;
  /** The last change that the file should contain. */
  readonly upTo: number;
  /** Opens the new file. */
  readonly open: () => Promise<OpenCopy>;
  readonly notify?: (text: string) => void;
}

/**
 * Writes a new file with the state of the deployment after a change: the newest snapshot before it, and the changes
 * since.
 */
export async function buildCopy(client: Client, needs: BuildNeeds): Promise<Position> {
  const { deployment, upTo, notify = () => {} } = needs;
  const copy = await needs.open();
  try {
    await startFromSnapshot(client, copy, needs);
    const first = copy.position().number;
    let reported = 0;
    while (copy.position().number < upTo) {
      const at = copy.position().number;
      const changes = (await changesAfter(client, deployment, at)).filter(({ number }) => number <= upTo);
      if (changes.length === 0) throw new Error(`change ${at + 1} of ${deployment} is not in PostgreSQL any more`);
      copy.apply(changes);
      const share = Math.floor((10 * (copy.position().number - first)) / (upTo - first));
      if (share > reported) notify(`Applied ${copy.position().number - first} of ${upTo - first} changes.`);
      reported = Math.max(reported, share);
    }
    return copy.position();
  } finally {
    copy.close();
  }
}

async function startFromSnapshot(client: Client, copy: OpenCopy, needs: BuildNeeds): Promise<void> {
  const { deployment, upTo, notify = () => {} } = needs;
  for (const snapshot of await snapshotsOf(client, deployment)) {
    if (snapshot.number > upTo) continue;
    try {
      await copy.startOver((file) => restoreSnapshot((work) => work(client), { deployment, snapshot, file }));
      return;
    } catch (error) {
      if (!(error instanceof SnapshotDamaged)) throw error;
      notify(`A snapshot is skipped: ${error.message}.`);
    }
  }
}
