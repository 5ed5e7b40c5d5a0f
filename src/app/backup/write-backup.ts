import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  createReadStream,
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
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openStoreGuard } from "../../journal/sqlite/damage/store-guard.ts";
import { hasJournal } from "../../journal/sqlite/migrations.ts";
import { holdInstanceLock } from "../../journal/sqlite/writer/durability.ts";
import { syncFolderNow } from "../../kit/files/sync-folder.ts";
import { errorCode } from "../../kit/narrow.ts";
import { integer, row, text } from "../../kit/sqlite/row.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { refuseFolders } from "../data-folder/refuse-folders.ts";
import { holdsCopy } from "../move/move-marks.ts";
import { versionInfo } from "../version-info.ts";
import { giveToOwner } from "./give-to-owner.ts";
import { holdTarget } from "./hold-target.ts";
import { FileUnreadable, refuseUnreadable } from "./refuse-unreadable.ts";
import { refuseUnfinished } from "./unfinished.ts";
import { writeFailure } from "./write-failure.ts";

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
 * Makes a consistent copy of everything in the data folder while the adapter writes; null if there is no journal. The
 * journal is copied last, so that it contains every record that the other files mark as seen. In the other order a
 * record could be marked as seen while its entry is missing, and would never be accepted again. A backup gets its final
 * name only after it was completely read back.
 */
export async function backUp({ dataFolder, target, now }: BackUpNeeds): Promise<BackedUp | null> {
  refuseFolders(dataFolder);
  refuseUnfinished(dataFolder);
  if (!existsSync(join(dataFolder, journalName))) return null;
  const unfinished = `${target}.part`;
  const release = holdTarget(target);
  try {
    if (!(await copyAll(dataFolder, unfinished))) return null;
    const entries = entriesIn(join(unfinished, journalName));
    const files = await Promise.all(
      readdirSync(unfinished).map(async (name) => {
        const file = join(unfinished, name);
        return { name, bytes: statSync(file).size, sha256: await digestOf(file) };
      }),
    );
    const manifest: BackupManifest = { format: 1, madeAt: now, version: versionInfo().version, entries, files };
    writeFileSync(join(unfinished, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, {
      ...{ mode: 0o600, flush: true },
    });
    syncFolderNow(unfinished);
    renameSync(unfinished, target);
    syncFolderNow(dirname(target));
    return { files: files.map(({ name }) => name), bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), entries };
  } catch (error) {
    // It would keep the space that others need on a full disk.
    const failed = writeFailure(error, target);
    try {
      rmSync(unfinished, { recursive: true, force: true });
    } catch {
      // The first error says more.
    }
    throw failed;
  } finally {
    release();
  }
}

/** False if there is no journal. */
async function copyAll(dataFolder: string, unfinished: string): Promise<boolean> {
  const release = heldIfStopped(dataFolder);
  try {
    if (!hasJournal(join(dataFolder, journalName))) return false;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true, mode: 0o700 });
    const databases = readdirSync(dataFolder).filter((name) => /^[\w-]+\.db$/.test(name) && name !== journalName);
    for (const name of [...databases.sort(), journalName]) await copyDatabase(dataFolder, unfinished, name);
    if (existsSync(join(dataFolder, "api-key"))) copyKey(dataFolder, unfinished);
    return true;
  } finally {
    release();
  }
}

/** If no adapter runs, checks the folder as at a start: damaged data must not become the backup. */
function heldIfStopped(dataFolder: string): () => void {
  const databaseFile = join(dataFolder, journalName);
  let release: () => void;
  try {
    release = holdInstanceLock(`${databaseFile}.lock`);
  } catch {
    return () => {};
  }
  try {
    const guard = openStoreGuard(databaseFile, { isCopy: holdsCopy(dataFolder) });
    return () => {
      guard.close(() => {});
      // The check may have created files that were missing.
      giveToOwner(dataFolder);
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function copyDatabase(from: string, to: string, name: string): Promise<void> {
  const copy = join(to, name);
  refuseUnreadable(join(from, name));
  closeSync(openSync(copy, "wx", 0o600));
  // Read-only: closing a writable connection could checkpoint the log, and the journal's guard would miss that.
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
  refuseUnreadable(join(from, "api-key"));
  writeFileSync(join(to, "api-key"), readFileSync(join(from, "api-key")), { mode: 0o600, flush: true });
}

/** Reads the copy back: an unreadable backup would otherwise be noticed only when it is needed. */
function check(file: string): void {
  const copy = openDatabase(file, { isPrivate: true });
  try {
    const found = copy.query("PRAGMA quick_check", row({ quick_check: text })).get()?.quick_check;
    if (found !== "ok") throw new Error(`the copy of ${file} is damaged: ${found}`);
  } finally {
    copy.close();
  }
}

/**
 * Counts the entries. The file is opened for writing, because a read-only connection would leave a log file beside the
 * copy.
 */
function entriesIn(file: string): number {
  const copy = openDatabase(file, { isPrivate: true });
  try {
    return copy.query("SELECT count(*) AS entries FROM entry", row({ entries: integer })).get()?.entries ?? 0;
  } finally {
    copy.close();
  }
}

export const journalName = "crossdock.db";
const manifestName = "backup.json";

/** Describes the files of a backup, so that it can be verified before it replaces anything. */
export interface BackupManifest {
  readonly format: 1;
  readonly madeAt: number;
  /** The version of the program that made the backup. */
  readonly version: string;
  readonly entries: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Reads the manifest and verifies every file of the backup; throws if anything is wrong. */
export async function readBackup(folder: string): Promise<BackupManifest> {
  const manifest = parsed(folder);
  for (const { name, bytes, sha256 } of manifest.files) {
    const file = join(folder, name);
    if (sizeOf(file) !== bytes) throw new Error(`${file} of the backup is missing or truncated`);
    const digest = await digestOf(file).catch((error: unknown) => {
      throw new FileUnreadable(file, error);
    });
    if (digest !== sha256) throw new Error(`${file} of the backup has changed since it was written`);
  }
  if (!manifest.files.some(({ name }) => name === journalName)) throw new Error("the backup has no journal");
  return manifest;
}

function parsed(folder: string): BackupManifest {
  let manifest: unknown;
  const file = join(folder, manifestName);
  try {
    manifest = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (errorCode(error) === "EACCES") throw new FileUnreadable(file, error);
    throw new Error(`${folder} is not a backup: ${manifestName} cannot be read`, { cause: error });
  }
  const { format, files } = membersOf(manifest);
  if (typeof format === "number" && format > 1) throw new Error(`${folder} was made by a newer Crossdock`);
  if (format !== 1 || !Array.isArray(files) || !files.every(isFile)) {
    throw new Error(`${folder} is no backup: ${manifestName} is damaged`);
  }
  // The format and the files were checked; the other members are only shown.
  return { ...(manifest as BackupManifest), files };
}

/**
 * Whether it describes a file. Only names without a path are allowed, because these files are copied into the data
 * folder.
 */
function isFile(file: unknown): file is BackupManifest["files"][number] {
  const { name, bytes, sha256 } = membersOf(file);
  const isPlainName = typeof name === "string" && /^(?:[\w-]+\.db|api-key)$/.test(name);
  return isPlainName && typeof bytes === "number" && typeof sha256 === "string";
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  // An object may have any members; other values have none of those that are read here.
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return -1;
  }
}
