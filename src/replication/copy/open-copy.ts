import { rmSync } from "node:fs";
import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { holdInstanceLock, makeDurable } from "../../journal/sqlite/writer/durability.ts";
import { type Database, isDamage, openDatabase } from "../../kit/sqlite/sqlite.ts";
import { bringToLayout, refuseUnknownLayout } from "./layout.ts";
import { type LocalCopy, localCopy } from "./local-copy.ts";

export interface CopyOptions {
  readonly databaseFile: string;
  /** The module that creates the projection's tables. */
  readonly projectionModule?: URL | undefined;
  readonly projectionOptions?: unknown;
}

/** The file of a process that follows the owner; nobody else writes to it. */
export interface OpenCopy extends LocalCopy {
  /** Throws LayoutUnknown for tables that only a newer program knows. Absent if there is only one layout. */
  readonly refuseUnknown?: (layout: string | null) => void;
  /** Replaces the file by an empty one, or by the one that `put` writes. */
  readonly startOver: (put?: (file: string) => Promise<void>) => Promise<void>;
  readonly close: () => void;
}

/** Removes all files of the copy. PostgreSQL has all of its data. */
export function removeCopy(databaseFile: string): void {
  removeFile(databaseFile);
  for (const end of [".sums", ".witness", ".answers"]) rmSync(`${databaseFile}${end}`, { force: true });
}

/** Removes the file and the files that SQLite keeps beside it. */
export function removeFile(databaseFile: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseFile}${end}`, { force: true });
}

export async function openCopy({ databaseFile, projectionModule, projectionOptions }: CopyOptions): Promise<OpenCopy> {
  // Our own module, which the writer loads by the same name.
  const projection = projectionModule && ((await import(projectionModule.href)) as ProjectionModule);
  const releaseLock = holdInstanceLock(`${databaseFile}.lock`);
  let database: Database;
  const open = (): LocalCopy => {
    database = openDatabase(databaseFile, { isPrivate: true });
    makeDurable(database, { hasReplica: true });
    // SQLite may fold the log during a commit here, because nobody waits for it. The writer folds its log itself,
    // beside its commits.
    database.exec("PRAGMA wal_autocheckpoint = 1000");
    // The changes decide which tables are created: changes of an older owner belong into older tables.
    return localCopy(database, (layout) => bringToLayout(database, layout, { projection, options: projectionOptions }));
  };
  let copy: LocalCopy;
  try {
    copy = open();
  } catch (error) {
    // Another error, such as a full disk, would only occur again.
    if (!isDamage(error)) {
      releaseLock();
      throw error;
    }
    removeCopy(databaseFile);
    copy = open();
  }
  return {
    refuseUnknown: (layout) => refuseUnknownLayout(layout, projection),
    position: () => copy.position(),
    moveTo: (position) => copy.moveTo(position),
    apply: (changes) => copy.apply(changes),
    startOver: async (put) => {
      database.close();
      removeCopy(databaseFile);
      try {
        await put?.(databaseFile);
      } finally {
        copy = open();
      }
    },
    close: () => {
      database.close();
      // These files describe the database as its last writer left it; the next writer creates them again.
      for (const end of ["sums", "witness", "answers"]) rmSync(`${databaseFile}.${end}`, { force: true });
      releaseLock();
    },
  };
}
