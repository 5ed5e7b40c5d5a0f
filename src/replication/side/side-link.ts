import { join } from "node:path";
import type { SideReplica } from "../../kit/sqlite/side-database.ts";
import { type Database, openDatabase, type Recording } from "../../kit/sqlite/sqlite.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { type Change, nextChange, type Position } from "../change.ts";
import { localCopy } from "../copy/local-copy.ts";
import type { Owner } from "../postgres/change-log.ts";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { createSideStream, sideStream } from "../postgres/side-stream.ts";
import { storeChange } from "../postgres/store-change.ts";
import { markOwned, withoutSyncs } from "./side-copies.ts";

export interface SideLinkNeeds {
  /** Runs statements in PostgreSQL, for this and perhaps for other deployments. */
  readonly request: ReconnectingClient["request"];
  readonly owner: Owner;
  readonly dataFolder: string;
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** Called when the side databases here no longer match PostgreSQL: this process must give up the deployment. */
  readonly onLost: (reason: string) => void;
}

export interface SideLink extends SideReplica {
  /** Opens a connection that reads the file as it is now, with its position; null if the file is not open. */
  readonly freeze: (name: string) => Database | null;
  /**
   * Call this after the databases were closed, while the deployment is still owned: stores what is left. A file that
   * could not be stored is replaced by PostgreSQL's version when it is opened again.
   */
  readonly complete: () => Promise<void>;
  /** Call this last. */
  readonly close: () => void;
}

/** How often changes are stored: at most this much of the changes that nobody waits for is lost with the machine. */
const everyMs = 100;

interface Side {
  readonly name: string;
  readonly database: Database;
  readonly moveTo: (position: Position) => void;
  /** The position after the last recorded change. */
  position: Position;
  recording: Recording;
  /** Changes that are recorded but may not be stored yet, oldest first. */
  readonly changes: Change[];
  draining: Promise<void> | null;
}

/**
 * Stores the changes of the owner's side databases in PostgreSQL after they were made here. They are written on the
 * main thread, which must not wait; a caller that must be sure awaits `stored`.
 */
export function openSideLink(needs: SideLinkNeeds): SideLink {
  const { request, owner, dataFolder, timeoutMs, timers } = needs;
  const sides = new Map<string, Side>();
  let lost: string | null = null;
  const completed = new Set<string>();
  let cancel = timers.after(everyMs, check);

  function check(): void {
    for (const side of sides.values()) {
      drained(side).catch(() => {
        // The change is still in the list, and the next round tries again.
      });
    }
    cancel = timers.after(everyMs, check);
  }

  /**
   * Whether there are changes to store. Changes of an unfinished transaction are not recorded, because they may be
   * undone.
   */
  const hasNews = (side: Side): boolean => {
    if (side.database.isOpen() && !side.database.isInTransaction()) record(side);
    return side.changes.length > 0;
  };

  const record = (side: Side) => {
    const body = side.recording.changeset();
    if (body.length === 0) return;
    side.recording.close();
    side.recording = side.database.record();
    const change = nextChange(side.position, body);
    side.changes.push(change);
    side.position = change;
    side.moveTo(change);
  };

  const drained = (side: Side): Promise<void> => {
    side.draining ??= drain(side).finally(() => {
      side.draining = null;
    });
    return side.draining;
  };

  const drain = async (side: Side): Promise<void> => {
    while (hasNews(side)) {
      for (const change of [...side.changes]) {
        await storeSurely(side, change);
        side.changes.shift();
      }
    }
  };

  const storeSurely = async (side: Side, change: Change): Promise<void> => {
    const stream: Owner = { ...owner, deployment: sideStream(owner.deployment, side.name) };
    if (change.number === 1) await request((open) => createSideStream(open, owner, side.name));
    const outcome = await storeChange({ owner: stream, request, patienceMs: timeoutMs, lost: () => lost }, change);
    if (outcome === "stored") return;
    if ("lost" in outcome && lost === null) {
      lost = outcome.lost;
      needs.onLost(lost);
    }
    throw new Error(`${side.name} could not be stored: ${"lost" in outcome ? outcome.lost : outcome.refused}`);
  };

  return {
    add: (name, database) => {
      const { position, moveTo } = localCopy(database);
      markOwned(database, true);
      const side: Side = {
        ...{ name, database, moveTo, position: position(), recording: database.record() },
        ...{ changes: [], draining: null },
      };
      sides.set(name, side);
      const closeRecorded = () => {
        hasNews(side);
        side.recording.close();
        database.close();
      };
      return { ...database, close: closeRecorded };
    },
    stored: async () => {
      await Promise.all(
        [...sides.values()].map(async (side) => {
          // A run that has already started may end before it stores the newest changes.
          if (side.draining !== null) await side.draining;
          if (hasNews(side)) await drained(side);
        }),
      );
    },
    freeze: (name) => {
      const side = sides.get(name);
      if (side === undefined || !side.database.isOpen() || side.database.isInTransaction()) return null;
      record(side);
      const reader = openDatabase(join(dataFolder, name), { readOnly: true });
      // The transaction keeps reading what is committed now, however long it stays open.
      reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
      return reader;
    },
    complete: async () => {
      cancel();
      for (const side of sides.values()) {
        await drained(side).then(
          () => completed.add(side.name),
          () => {
            // The file stays marked as owned.
          },
        );
      }
    },
    close: () => {
      cancel();
      for (const name of completed) markLeft(join(dataFolder, name));
    },
  };
}

/** Marks that the file equals PostgreSQL's version, so that its next user can continue with it. */
function markLeft(file: string): void {
  const database = openDatabase(file, { isPrivate: true });
  try {
    withoutSyncs(database);
    markOwned(database, false);
  } finally {
    database.close();
  }
}
