import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openStoreGuard } from "../journal/sqlite/damage/store-guard.ts";
import { holdInstanceLock } from "../journal/sqlite/instance-lock.ts";
import { openDatabase } from "../kit/sqlite.ts";
import { type BackupManifest, digestOf, journalName, manifestName } from "./backup-manifest.ts";
import { versionInfo } from "./version-info.ts";

export interface BackedUp {
  readonly files: readonly string[];
  readonly bytes: number;
  readonly entries: number;
}

export interface BackUpNeeds {
  readonly dataFolder: string;
  readonly target: string;
  readonly now: number;
}

/**
 * A consistent copy of everything in the data folder while others write; null where there is no journal. The journal is
 * copied last: whatever the other files say was taken is in it. The other way round a record would count as seen whose entry
 * is missing, and would never be taken again. Never half a backup: it gets its name when all of it was read back.
 */
export async function backUp({ dataFolder, target, now }: BackUpNeeds): Promise<BackedUp | null> {
  if (!existsSync(join(dataFolder, journalName))) return null;
  const unfinished = `${target}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const release = heldIfStopped(dataFolder);
  try {
    const databases = readdirSync(dataFolder).filter((name) => /^[\w-]+\.db$/.test(name) && name !== journalName);
    for (const name of [...databases.sort(), journalName]) await copyDatabase(dataFolder, unfinished, name);
    if (existsSync(join(dataFolder, "api-key"))) copyKey(dataFolder, unfinished);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    release();
  }
  const entries = entriesIn(join(unfinished, journalName));
  const files = await Promise.all(
    readdirSync(unfinished).map(async (name) => {
      const file = join(unfinished, name);
      return { name, bytes: statSync(file).size, sha256: await digestOf(file) };
    }),
  );
  const manifest: BackupManifest = { format: 1, madeAt: now, version: versionInfo().version, entries, files };
  writeFileSync(join(unfinished, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, target);
  return { files: files.map(({ name }) => name), bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), entries };
}

/** Where no adapter runs, the folder is checked as at a start: what is damaged must not become the backup. */
function heldIfStopped(dataFolder: string): () => void {
  const databaseFile = join(dataFolder, journalName);
  let release: () => void;
  try {
    release = holdInstanceLock(`${databaseFile}.lock`);
  } catch {
    return () => {};
  }
  try {
    const guard = openStoreGuard(databaseFile);
    return () => {
      guard.close(() => {});
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function copyDatabase(from: string, to: string, name: string): Promise<void> {
  const copy = join(to, name);
  closeSync(openSync(copy, "wx", 0o600));
  // Read-only: one that may write would fold the log when it closes as the last, and the journal's guard would miss it.
  const database = openDatabase(join(from, name), { readOnly: true });
  try {
    await database.backup(copy);
  } finally {
    database.close();
  }
  check(copy);
  chmodSync(copy, 0o600);
  const handle = openSync(copy, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function copyKey(from: string, to: string): void {
  writeFileSync(join(to, "api-key"), readFileSync(join(from, "api-key")), { mode: 0o600, flush: true });
}

/** A copy that cannot be read is worse than none: it is found out on the day it is needed. */
function check(file: string): void {
  const copy = openDatabase(file, { isPrivate: true });
  try {
    const found = copy.statement("PRAGMA quick_check").get<{ quick_check: string }>()?.quick_check;
    if (found !== "ok") throw new Error(`the copy of ${file} is damaged: ${found}`);
  } finally {
    copy.close();
  }
}

/** Not read-only: that would leave a log beside the copy. */
function entriesIn(file: string): number {
  const copy = openDatabase(file, { isPrivate: true });
  try {
    return copy.statement("SELECT count(*) AS entries FROM entry").get<{ entries: number }>()?.entries ?? 0;
  } finally {
    copy.close();
  }
}
