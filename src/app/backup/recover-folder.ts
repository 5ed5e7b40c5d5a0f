import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { planRecovery, type Recovery, takeRecovery } from "../../journal/sqlite/damage/plan-recovery.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { integer, row } from "../../kit/sqlite/row.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";

export interface RecoveryReport {
  readonly damages: readonly string[];
  /** Null where nothing that is left can be read. */
  readonly best: Omit<Recovery, "file"> | null;
  /** Where the damaged files are now; null where nothing was changed. */
  readonly keptIn: string | null;
}

/** What was seen this long before the last entry that is left may have been in one that is not. */
const doubtMs = 60_000;

/** Says what can be saved of a damaged data folder and, if asked to, goes on with that. Null where nothing is damaged. */
export function recoverFolder(dataFolder: string, { isMeant }: { isMeant: boolean }): RecoveryReport | null {
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
    if (best.missing !== null) letComeAgain(dataFolder, { from: best.lastReceivedAt - doubtMs, keepIn: folder });
    return { damages, best, keptIn: folder };
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
    release();
  }
}

/**
 * What was pushed, polled or dropped with the missing entries must be taken when it comes again: it is forgotten that it was
 * seen, and polls begin anew, since they stand behind it.
 */
function letComeAgain(dataFolder: string, { from, keepIn }: { from: number; keepIn: string }): void {
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
