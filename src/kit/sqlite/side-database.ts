import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { replaceFileNow } from "../files/replace-file.ts";
import type { Log } from "../log.ts";
import { type Database, isDamage, openDatabase } from "./sqlite.ts";
import { readLog } from "./sqlite-log.ts";
import { syncLogOf } from "./synced-log.ts";

/** A database beside the journal. */
export interface SideFile {
  readonly name: string;
  /** What happens without this file; logged if it is damaged. */
  readonly withoutIt: string;
  /** Creates the tables that do not exist yet. */
  readonly createTables: (database: Database) => void;
}

/** Its changes are written at once. They survive a crash of the process, and a power cut as soon as they are stored. */
export interface SideDatabase extends Database {
  /** Resolves when all changes made until now are on the disk, and in the replica if there is one. */
  readonly stored: () => Promise<void>;
  /** Call this after changes whose caller does not await `stored`, or the log of the file grows for ever. */
  readonly keepShort: () => void;
}

/** A second place that stores the changes of side databases, so that they outlive this machine. */
export interface SideReplica {
  /** Stores every change from now on. Use and close the returned database instead of the given one. */
  readonly add: (name: string, database: Database) => Database;
  /** Resolves when all changes made until now are stored. */
  readonly stored: () => Promise<void>;
}

export interface SideDatabaseOptions {
  readonly dataFolder: string;
  readonly log: Log;
  readonly replica?: SideReplica | undefined;
}

/**
 * Opens a database that can be created again. A damaged one is renamed, and the log says so: the floor must not stop
 * because of it, but the loss must be visible.
 */
export function openSideDatabase(side: SideFile, { dataFolder, log, replica }: SideDatabaseOptions): SideDatabase {
  const file = join(dataFolder, side.name);
  const opened = openOrReplace(file, side.withoutIt, log);
  side.createTables(opened);
  noteOpened(file);
  const { synced, keepShort, close } = syncLogOf(file, opened);
  const database: Database = {
    ...opened,
    close: () => {
      close();
      opened.close();
    },
  };
  const stored = async () => {
    await Promise.all([synced(), replica?.stored()]);
  };
  return { ...(replica === undefined ? database : replica.add(side.name, database)), stored, keepShort };
}

function openOrReplace(file: string, withoutIt: string, log: Log): Database {
  if (wasOpened(file) && isEmpty(file)) {
    log.error({ file: basename(file), withoutIt }, "a file of the data folder is missing; an empty one was created");
  }
  const lost = lostInLog(file);
  if (lost !== null) {
    log.error({ file: basename(file), damage: lost, withoutIt }, "a file of the data folder has lost its last changes");
  }
  try {
    return openSound(file);
  } catch (error) {
    if (!(error instanceof DamagedFile) && !isDamage(error)) throw error;
    const keptAs = setAside(file);
    const fields = {
      file: basename(file),
      keptAs,
      damage: error instanceof Error ? error.message : String(error),
      withoutIt,
    };
    log.error(fields, "a file of the data folder is damaged; it was renamed and an empty one was created");
    return openDatabase(file, { isPrivate: true });
  }
}

const openedFilesList = (file: string) => join(dirname(file), "opened-files");

/** Whether the file once existed. The names of all files that were ever opened are kept beside them. */
export function wasOpened(file: string): boolean {
  const list = openedFilesList(file);
  return existsSync(list) && readFileSync(list, "utf8").split("\n").includes(basename(file));
}

/** Call this when the file has its tables: until then nothing would be missed if it were empty. */
function noteOpened(file: string): void {
  if (!wasOpened(file)) appendFileSync(openedFilesList(file), `${basename(file)}\n`, { mode: 0o600 });
}

/** Call this for a file that was put away on purpose: the next start creates an empty one, and nothing is missed. */
export function forgetOpened(file: string): void {
  if (!wasOpened(file)) return;
  const list = openedFilesList(file);
  const names = readFileSync(list, "utf8").split("\n");
  replaceFileNow(list, names.filter((name) => name !== basename(file)).join("\n"));
}

/** Whether the file is missing or has 0 bytes, which SQLite takes for a new one, and then deletes the file's log. */
const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

function openSound(file: string): Database {
  const database = openDatabase(file, { isPrivate: true });
  try {
    const found = Object.values(database.statement("PRAGMA quick_check(1)").get() ?? {})[0];
    if (found !== "ok") throw new DamagedFile(String(found));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class DamagedFile extends Error {}

/** Renames the file so that somebody can look at it later, never over an earlier one, and returns the new name. */
export function setAside(file: string, why = "damaged"): string {
  let nth = 1;
  while (existsSync(`${file}.${why}-${nth}`)) nth++;
  const keptAs = `${file}.${why}-${nth}`;
  renameSync(file, keptAs);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${keptAs}-wal`);
  rmSync(`${file}-shm`, { force: true });
  return basename(keptAs);
}

/**
 * Returns what a database has lost of the end of its log since its process was killed; null if nothing is known to be
 * missing. SQLite takes what is left for the whole log. But `-shm`, the index that it shares between processes,
 * survives a kill and contains the log's length.
 */
function lostInLog(databaseFile: string): string | null {
  const index = readIndex(`${databaseFile}-shm`);
  if (index === null || index.frames === 0 || index.folded >= index.frames) return null;
  if (!existsSync(`${databaseFile}-wal`)) return `the log is missing; it had ${index.frames} pages`;
  const log = readLog(`${databaseFile}-wal`);
  if (log === null) return `the log cannot be read; it had ${index.frames} pages`;
  // The log was restarted since, so this index belongs to an earlier round and proves nothing.
  if (log.salts[0] !== index.salts[0] || log.salts[1] !== index.salts[1]) return null;
  return log.frames >= index.frames ? null : `of ${index.frames} pages of the log ${log.frames} can be read`;
}

const version = 3_007_000;
const headBytes = 100;

/** Reads the header of SQLite's index of its log. Numbers are in the machine's byte order, the salts as in the log. */
function readIndex(file: string) {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null;
  }
  if (bytes.length < headBytes || bytes.readUInt32LE(0) !== version || bytes[12] !== 1) return null;
  const salts = [bytes.readUInt32BE(32), bytes.readUInt32BE(36)] as const;
  return { frames: bytes.readUInt32LE(16), folded: bytes.readUInt32LE(96), salts };
}
