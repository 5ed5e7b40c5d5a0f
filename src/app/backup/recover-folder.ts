import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { planRecovery, type Recovery, takeRecovery } from "../../journal/sqlite/recovery/plan-recovery.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import { forgetOpened } from "../../kit/sqlite/side-database.ts";
import { isDamage, openDatabase } from "../../kit/sqlite/sqlite.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { giveToOwner } from "./give-to-owner.ts";
import {
  type BegunRecovery,
  beginRecovery,
  begunRecovery,
  endRecovery,
  refuseUnfinishedRestore,
} from "./unfinished.ts";

export interface RecoveryReport {
  readonly damages: readonly string[];
  /** Null if nothing can be recovered. */
  readonly best: Omit<Recovery, "file"> | null;
  /** Why the readable pages were not enough, if they were not. */
  readonly refused?: string;
  /** The folder with the damaged files; null if nothing was changed. */
  readonly keptIn: string | null;
}

/** A record that was marked as seen up to this long before the last recovered entry may belong to a lost entry. */
const doubtMs = 60_000;

/**
 * Reports what can be recovered from a damaged data folder and, if confirmed, recovers it. Null if there is no damage.
 * A recovery that was interrupted is finished as it was decided on: its files are no longer those that were judged.
 */
export function recoverFolder(
  dataFolder: string,
  { isMeant, now = systemClock.now() }: { isMeant: boolean; now?: number },
): RecoveryReport | null {
  refuseFolders(dataFolder);
  refuseUnfinishedRestore(dataFolder);
  const databaseFile = join(dataFolder, "crossdock.db");
  const release = holdInstanceLock(`${databaseFile}.lock`);
  try {
    const begun = begunRecovery(dataFolder);
    if (begun !== null) {
      const { damages, best, folder } = begun;
      if (isMeant) take(dataFolder, begun);
      return { damages, best, keptIn: isMeant ? folder : null };
    }
    const folder = newFolder(dataFolder);
    let isKept = false;
    try {
      const plan = planRecovery(databaseFile, folder, now);
      if (plan === null) return null;
      const { damages, best, ...refused } = plan;
      if (best === null || !isMeant) return { damages, best, ...refused, keptIn: null };
      isKept = true;
      beginRecovery(dataFolder, { damages, best, folder });
      take(dataFolder, { best, folder });
      return { damages, best, keptIn: folder };
    } finally {
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    giveToOwner(dataFolder);
    release();
  }
}

function take(dataFolder: string, { best, folder }: Pick<BegunRecovery, "best" | "folder">): void {
  takeRecovery(join(dataFolder, "crossdock.db"), best, folder);
  if (best.missing !== null || best.mayMissLater)
    forgetReceived(dataFolder, { from: best.lastReceivedAt - doubtMs, keepIn: folder });
  endRecovery(dataFolder);
}

/**
 * Lets lost entries come again. Their records must be accepted when they are pushed, polled or dropped again, so their
 * duplicate marks and the ids of signed pushes are deleted. Polls restart from the beginning, because their positions
 * are already past those records.
 */
function forgetReceived(dataFolder: string, { from, keepIn }: { from: number; keepIn: string }): void {
  const isForgotten = forgetSeen(join(dataFolder, "intake.db"), from);
  for (const name of ["notes.db", "senders.db", ...(isForgotten ? [] : ["intake.db"])]) {
    for (const part of ["", "-wal", "-shm"]) {
      const file = join(dataFolder, name + part);
      if (existsSync(file)) renameSync(file, join(keepIn, name + part));
    }
    forgetOpened(join(dataFolder, name));
  }
}

/** Returns false if the file is damaged: then nobody knows which records it would call known. */
function forgetSeen(intake: string, from: number): boolean {
  if (!existsSync(intake)) return true;
  const database = openDatabase(intake, { isPrivate: true });
  try {
    const table = database.query(
      "SELECT count(*) AS found FROM sqlite_schema WHERE name = 'seen'",
      row({ found: integer }),
    );
    if (table.get()?.found === 1) database.statement("DELETE FROM seen WHERE at >= ?").run(from);
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  } finally {
    database.close();
  }
}

function newFolder(dataFolder: string): string {
  let nth = 1;
  while (existsSync(join(dataFolder, `damaged-${nth}`))) nth++;
  const folder = join(dataFolder, `damaged-${nth}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
