import { isSamePosition, type Position } from "../change.ts";
import { CopyDiffers } from "../copy/local-copy.ts";
import type { OpenCopy } from "../copy/open-copy.ts";
import { changesAfter } from "../postgres/change-log.ts";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { restoreSnapshot, SnapshotDamaged, snapshotsOf } from "../snapshot/restore-snapshot.ts";

export interface StreamNeeds {
  /** Called for each statement: a restore takes minutes, and others may need the connection meanwhile. */
  readonly request: ReconnectingClient["request"];
  /** The deployment, or one of its side databases. */
  readonly stream: string;
  readonly copy: OpenCopy;
  /** Called with sentences for people: what happened, and what it means. */
  readonly notify: (text: string) => void;
  readonly onApplied?: (changes: number) => void;
}

export interface FollowedStream {
  /**
   * Applies the changes up to the last one that PostgreSQL has. A copy that is empty or has another history is replaced.
   * Nothing is read if the copy has all of them: during a planned move every question to PostgreSQL is waited for.
   */
  readonly catchUp: (last: Position, mayGoOn: () => Promise<boolean>) => Promise<void>;
}

/** Keeps one local copy equal to PostgreSQL. */
export function followStream({ request, stream, copy, notify, onApplied }: StreamNeeds): FollowedStream {
  let isReplaced = false;

  /** Restores the newest usable snapshot; without one, the log has everything. */
  const restore = async (): Promise<void> => {
    for (const snapshot of await request((client) => snapshotsOf(client, stream))) {
      try {
        const put = (file: string) =>
          restoreSnapshot(request, { deployment: stream, snapshot, file }, (done, of) => {
            if (done % Math.ceil(of / 10) === 0 || done === of) {
              notify(`Restoring the copy of ${stream}: ${done} of ${of} MiB.`);
            }
          });
        await copy.startOver(put);
        return;
      } catch (error) {
        if (!(error instanceof SnapshotDamaged)) throw error;
        notify(`A snapshot is skipped: ${error.message}.`);
      }
    }
  };

  const applyAll: FollowedStream["catchUp"] = async (last, mayGoOn) => {
    const before = copy.position();
    const isKnown = before.number < last.number || isSamePosition(before, last);
    if (!isKnown) throw new CopyDiffers(`PostgreSQL does not know its change ${before.number}`);
    if (before.number === 0 && last.number > 0) await restore();
    while (copy.position().number < last.number && (await mayGoOn())) {
      const { number } = copy.position();
      // If the copy has another history, these do not follow its last change, and are refused.
      const changes = await request((client) => changesAfter(client, stream, number));
      if (changes.length === 0) throw new CopyDiffers(`PostgreSQL has no change after ${number}`);
      copy.apply(changes);
      onApplied?.(changes.length);
    }
  };

  return {
    catchUp: async (last, mayGoOn) => {
      try {
        await applyAll(last, mayGoOn);
      } catch (error) {
        // If a new copy does not fit either, the copy is not the problem.
        if (!(error instanceof CopyDiffers) || isReplaced) throw error;
        isReplaced = true;
        notify(`The local copy of ${stream} is replaced: ${error.message}.`);
        await copy.startOver();
        await applyAll(last, mayGoOn);
      }
      isReplaced = false;
    },
  };
}
