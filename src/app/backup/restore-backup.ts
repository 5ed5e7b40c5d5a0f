import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { newestJournal } from "../../journal/sqlite/migrations.ts";
import { beginCopy } from "../../journal/sqlite/recovery/plan-recovery.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { syncFolderNow } from "../../kit/files/sync-folder.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { holdsCopy, movedAwayFrom } from "../move/move-marks.ts";
import { forgetPosition } from "../move/streams-of.ts";
import { giveToOwner } from "./give-to-owner.ts";
import { beginRestore } from "./unfinished.ts";
import { type BackupManifest, digestOf, journalName, readBackup } from "./write-backup.ts";
import { writeFailure } from "./write-failure.ts";

export interface Restored {
  readonly manifest: BackupManifest;
  /** The folder with the replaced files; null if there were none. */
  readonly keptIn: string | null;
  /** Whether the backup or the replaced files are a copy of a deployment in PostgreSQL, which is not changed. */
  readonly isOfStore: boolean;
}

/**
 * Replaces the content of the data folder by a backup. Everything is verified, copied and verified again before
 * anything is replaced, and the replaced files are kept beside it.
 */
export async function restore(dataFolder: string, backup: string): Promise<Restored> {
  try {
    return await replaceContent(dataFolder, backup);
  } catch (error) {
    throw writeFailure(error, dataFolder);
  }
}

async function replaceContent(dataFolder: string, backup: string): Promise<Restored> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  refuseFolders(dataFolder);
  const release = holdInstanceLock(join(dataFolder, `${journalName}.lock`));
  const staged = join(dataFolder, "restore.part");
  try {
    const manifest = await readBackup(backup);
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(staged, { mode: 0o700 });
    for (const { name, sha256 } of manifest.files) {
      copySynced(join(backup, name), join(staged, name));
      if ((await digestOf(join(staged, name))) !== sha256) throw new Error(`${name} was not copied correctly`);
    }
    checkJournal(join(staged, journalName));
    const isOfStore = holdsCopy(staged) || holdsCopy(dataFolder) || movedAwayFrom(dataFolder) !== null;
    // A copy could be started only with the PostgreSQL that it was made from, which may be lost, and would follow it.
    for (const { name } of manifest.files) if (name.endsWith(".db")) forgetPosition(join(staged, name));
    const finish = beginRestore(dataFolder);
    const keptIn = setAside(dataFolder);
    for (const { name } of manifest.files) renameSync(join(staged, name), join(dataFolder, name));
    beginCopy(join(dataFolder, journalName));
    // Else a power cut could undo some of the renames after the mark is gone.
    syncFolderNow(dataFolder);
    finish();
    return { manifest, keptIn, isOfStore };
  } finally {
    rmSync(staged, { recursive: true, force: true });
    giveToOwner(dataFolder);
    release();
  }
}

/** Whether a restore would replace anything. */
export const holdsJournal = (dataFolder: string): boolean => existsSync(join(dataFolder, journalName));

function copySynced(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  const handle = openSync(to, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function checkJournal(file: string): void {
  const database = openDatabase(file, { isPrivate: true });
  try {
    const found = Object.values(database.statement("PRAGMA integrity_check(1)").get() ?? {})[0];
    if (found !== "ok") throw new Error(`the journal of the backup is damaged: ${found}`);
    const version = Number(Object.values(database.statement("PRAGMA user_version").get() ?? {})[0]);
    if (version > newestJournal) {
      throw new Error(
        `the backup was made by a newer Crossdock (journal version ${version}, this one knows ${newestJournal})`,
      );
    }
  } finally {
    database.close();
  }
}

const isState = (name: string): boolean =>
  /^[\w-]+\.db(?:-wal|-shm|\.witness|\.sums|\.answers)?$|^api-key$|^opened-files$|^journal-mark$|^last-version$|^moved\.json$/.test(
    name,
  );

function setAside(dataFolder: string): string | null {
  const names = readdirSync(dataFolder).filter(isState);
  if (names.length === 0) return null;
  let nth = 1;
  while (existsSync(join(dataFolder, `before-restore-${nth}`))) nth++;
  const folder = join(dataFolder, `before-restore-${nth}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const name of names) renameSync(join(dataFolder, name), join(folder, name));
  return folder;
}
