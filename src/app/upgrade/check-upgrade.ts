import { closeSync, openSync, readSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OldSpelling } from "../../config/upgrade/upgrade-text.ts";
import { journalVersion, newestJournal } from "../../journal/sqlite/migrations.ts";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { layout } from "../../store/schema.ts";
import { journalName } from "../backup/write-backup.ts";
import { sideFiles } from "../replicated/side-files.ts";
import type { StoreReport, TableSteps } from "./check-store.ts";
import { lastVersion } from "./last-version.ts";

/** What this version of the program changes for a configuration and a data folder. */
export interface UpgradeReport {
  readonly version: string;
  /** The version that last opened the data folder; null if it is unknown. */
  readonly before: string | null;
  /**
   * `patch`, and `back` in the other direction: the tables are the same, so the earlier version can be installed again.
   * `older`: an earlier minor version, which needs a backup.
   */
  readonly kind: "none" | "patch" | "minor" | "back" | "older" | "unknown";
  readonly configuration: {
    readonly file: string | null;
    /** Names that this version refuses, and what to write instead. */
    readonly oldSpellings: readonly OldSpelling[];
    /** Other reasons why this version would not start with this configuration. */
    readonly errors: readonly string[];
  };
  readonly data: {
    readonly folder: string;
    readonly exists: boolean;
    readonly bytes: number;
    readonly tables: readonly TableSteps[];
    /** About how many seconds longer the start takes than usual; null: nothing has to be done. */
    readonly aboutSeconds: number | null;
    readonly freeBytes: number | null;
    /** The space needed on its disk, for what the migrations write and for a backup that goes there. */
    readonly neededBytes: number;
  };
  /** The other disk that the backup goes to; null if it goes to the disk of the data folder, or is not known yet. */
  readonly backupDisk: { readonly freeBytes: number; readonly neededBytes: number } | null;
  /** What it changes in PostgreSQL; null if everything is in the data folder. */
  readonly store: StoreReport | null;
  /** Why the upgrade must not be started now. */
  readonly obstacles: readonly string[];
}

export interface UpgradeNeeds {
  readonly version: string;
  readonly dataFolder: string;
  readonly configuration: UpgradeReport["configuration"];
  /** Absent: everything is in the data folder. */
  readonly store?: StoreReport | undefined;
  /** The folder that a backup is to be written to; absent: not known yet. */
  readonly backup?: string | undefined;
  /** Finds the disk of a path. Tests pass disks of their own. */
  readonly diskOf?: (path: string) => Disk;
}

export interface Disk {
  readonly device: number;
  readonly freeBytes: number;
}

/** A migration reads and writes every page of a table, which costs a few times as much as reading the file. */
const stepsPerRead = 6;
const sampleBytes = 64 * 2 ** 20;
const mib = 2 ** 20;
const reserveBytes = 64 * mib;

/** Reports what an upgrade would change; changes nothing. */
export function checkUpgrade(needs: UpgradeNeeds): UpgradeReport {
  const { version, dataFolder, configuration, store = null, backup, diskOf = realDisk } = needs;
  const journal = join(dataFolder, journalName);
  const exists = statSync(journal, { throwIfNoEntry: false }) !== undefined;
  const bytes = [journalName, ...sideFiles.map(({ name }) => name)]
    .flatMap((name) => [name, `${name}-wal`])
    .reduce((sum, name) => sum + (statSync(join(dataFolder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  const tables = exists ? tablesOf(journal) : [];
  const hasSteps = tables.some(({ found, wanted }) => found < wanted);
  const disk = exists ? diskOf(dataFolder) : null;
  const other = backup === undefined || disk === null ? null : diskOf(backup);
  const backupDisk =
    other === null || other.device === disk?.device
      ? null
      : { freeBytes: other.freeBytes, neededBytes: bytes + reserveBytes };
  const freeBytes = disk?.freeBytes ?? null;
  const copies = (backupDisk === null ? 1 : 0) + (hasSteps ? 1 : 0);
  const neededBytes = exists ? copies * bytes + reserveBytes : 0;
  const before = exists ? lastVersion(dataFolder) : null;
  const aboutSeconds = hasSteps ? Math.max(1, Math.ceil(readSeconds(journal) * stepsPerRead)) : null;
  const kind = kindOf(before, version);
  return {
    ...{ version, before, kind, configuration },
    data: { folder: dataFolder, exists, bytes, tables, aboutSeconds, freeBytes, neededBytes },
    backupDisk,
    store,
    obstacles: [
      ...(store?.obstacles ?? []),
      ...(kind === "older" && store === null
        ? [`version ${before} has opened the data folder: restore the backup made before it: crossdock restore FOLDER`]
        : []),
      ...tables
        .filter(({ found, wanted }) => found > wanted)
        .map(
          ({ part, found, wanted }) =>
            `the tables of the ${part} were written by a newer version (${found}, this one knows ${wanted}): start that one, or restore a backup made before`,
        ),
      ...missingSpace(
        { freeBytes, neededBytes },
        "of disk space are missing",
        backupDisk === null ? "free some, or put the backup on another disk" : "free some",
      ),
      ...(backupDisk === null ? [] : missingSpace(backupDisk, "are missing for the backup", "choose another disk")),
      ...configuration.oldSpellings.map(
        ({ path, line, instead }) => `line ${line}: ${path} is an old spelling: write ${instead}`,
      ),
      ...configuration.errors,
    ],
  };
}

function tablesOf(file: string): TableSteps[] {
  // Read-only, because an adapter may be running on the file.
  const database = openDatabase(file, { readOnly: true });
  try {
    const version = journalVersion(database);
    return [
      { part: "journal", found: version, wanted: newestJournal },
      { part: "store", found: layout.of(database), wanted: layout.newest },
    ];
  } finally {
    database.close();
  }
}

function kindOf(before: string | null, now: string): UpgradeReport["kind"] {
  if (before === null) return "unknown";
  if (before === now) return "none";
  const parts = (one: string) => one.split(".").map(Number);
  const [from, to] = [parts(before), parts(now)];
  const later = to.findIndex((part, index) => part !== from[index]);
  const isBack = (to[later] ?? 0) < (from[later] ?? 0);
  if (later === 2) return isBack ? "back" : "patch";
  return isBack ? "older" : "minor";
}

/**
 * Estimates how long reading the file takes: measures the beginning of the file, and assumes the same speed for the
 * rest.
 */
function readSeconds(file: string): number {
  const { size } = statSync(file);
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(mib);
    const began = performance.now();
    let read = 0;
    for (let got = -1; got !== 0 && read < Math.min(size, sampleBytes); read += got) got = readSync(handle, buffer);
    const seconds = (performance.now() - began) / 1000;
    return read === 0 ? 0 : (seconds * size) / read;
  } finally {
    closeSync(handle);
  }
}

function missingSpace(disk: { freeBytes: number | null; neededBytes: number }, what: string, remedy: string): string[] {
  const { freeBytes, neededBytes } = disk;
  if (freeBytes === null || freeBytes >= neededBytes) return [];
  return [`${Math.ceil((neededBytes - freeBytes) / mib)} MiB ${what}: ${remedy}`];
}

/** The disk of a path, whose last parts need not exist yet. */
function realDisk(path: string): Disk {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined && dirname(path) !== path) return realDisk(dirname(path));
  const { bavail, bsize } = statfsSync(path);
  return { device: found?.dev ?? 0, freeBytes: bavail * bsize };
}
