import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { planRecovery, type Recovery, takeRecovery } from "../../journal/sqlite/damage/plan-recovery.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { refuseFolders } from "../refuse-folders.ts";
import { giveToOwner } from "./give-to-owner.ts";

export interface RecoveryReport {
  readonly damages: readonly string[];
  /** Null if nothing can be recovered. */
  readonly best: Omit<Recovery, "file"> | null;
  /** The folder with the damaged files; null if nothing was changed. */
  readonly keptIn: string | null;
}

/** A record that was marked as seen up to this long before the last recovered entry may belong to a lost entry. */
const doubtMs = 60_000;

/**
 * Reports what can be recovered from a damaged data folder and, if confirmed, recovers it. Null if there is no damage.
 */
export function recoverFolder(dataFolder: string, { isMeant }: { isMeant: boolean }): RecoveryReport | null {
  refuseFolders(dataFolder);
  const databaseFile = join(dataFolder, "crossdock.db");
  const release = holdInstanceLock(`${databaseFile}.lock`);
  const folder = newFolder(dataFolder);
  let isKept = false;
  try {
    const plan = planRecovery(databaseFile, folder);
    if (plan === null) return null;
    const { damages, best } = plan;
    if (best === null || !isMeant) return { damages, best, keptIn: null };
    isKept = true;
    takeRecovery(databaseFile, best, folder);
    if (best.missing !== null) forgetReceived(dataFolder, { from: best.lastReceivedAt - doubtMs, keepIn: folder });
    return { damages, best, keptIn: folder };
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
    giveToOwner(dataFolder);
    release();
  }
}

/**
 * Lets lost entries come again. Their records must be accepted when they are pushed, polled or dropped again, so their
 * duplicate marks are deleted. Polls restart from the beginning, because their positions are already past those
 * records.
 */
function forgetReceived(dataFolder: string, { from, keepIn }: { from: number; keepIn: string }): void {
  const intake = join(dataFolder, "intake.db");
  if (existsSync(intake)) {
    const database = openDatabase(intake, { isPrivate: true });
    try {
      const table = database.query(
        "SELECT count(*) AS found FROM sqlite_schema WHERE name = 'seen'",
        row({ found: integer }),
      );
      if (table.get()?.found === 1) {
        database.statement("DELETE FROM seen WHERE at >= ?").run(from);
      }
    } finally {
      database.close();
    }
  }
  for (const part of ["", "-wal", "-shm"]) {
    const notes = join(dataFolder, `notes.db${part}`);
    if (existsSync(notes)) renameSync(notes, join(keepIn, `notes.db${part}`));
  }
}

function newFolder(dataFolder: string): string {
  let nth = 1;
  while (existsSync(join(dataFolder, `damaged-${nth}`))) nth++;
  const folder = join(dataFolder, `damaged-${nth}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
