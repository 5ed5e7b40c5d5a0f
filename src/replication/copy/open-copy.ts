import { rmSync } from "node:fs";
import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { holdInstanceLock, makeDurable } from "../../journal/sqlite/writer/durability.ts";
import { type Database, isDamage, openDatabase } from "../../kit/sqlite/sqlite.ts";
import { bringToLayout, refuseUnknownLayout } from "./layout.ts";
import { type LocalCopy, localCopy } from "./local-copy.ts";

export interface CopyOptions {
  readonly databaseFile: string;
  /** Makes its tables. */
  readonly projectionModule?: URL | undefined;
  readonly projectionOptions?: unknown;
}

/** The file of a process that follows; nobody else writes to it. */
export interface OpenCopy extends LocalCopy {
  /** Throws LayoutUnknown for tables that only a newer program knows. Absent where there is only one layout. */
  readonly refuseUnknown?: (layout: string | null) => void;
  /** Starts again with an empty file, or with the one that is put in its place. */
  readonly startOver: (put?: (file: string) => Promise<void>) => Promise<void>;
  readonly close: () => void;
}

/** Everything the copy consists of; PostgreSQL has it all. */
export function removeCopy(databaseFile: string): void {
  removeFile(databaseFile);
  for (const end of [".sums", ".witness", ".answers"]) rmSync(`${databaseFile}${end}`, { force: true });
}

/** With what SQLite puts beside it. */
export function removeFile(databaseFile: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseFile}${end}`, { force: true });
}

export async function openCopy({ databaseFile, projectionModule, projectionOptions }: CopyOptions): Promise<OpenCopy> {
  // Our own module, by the same name that the writer loads it.
  const projection = projectionModule && ((await import(projectionModule.href)) as ProjectionModule);
  const releaseLock = holdInstanceLock(`${databaseFile}.lock`);
  let database: Database;
  const open = (): LocalCopy => {
    database = openDatabase(databaseFile, { isPrivate: true });
    makeDurable(database, { hasReplica: true });
    // The writer folds its log itself, beside its commits. Nobody waits for a commit here.
    database.exec("PRAGMA wal_autocheckpoint = 1000");
    // Its tables are made by the changes: those of an older owner belong into older tables.
    return localCopy(database, (layout) => bringToLayout(database, layout, { projection, options: projectionOptions }));
  };
  let copy: LocalCopy;
  try {
    copy = open();
  } catch (error) {
    // Another error, such as a full disk, would only come again.
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
      // They describe the file as its last writer left it; the next writer makes them anew.
      for (const end of ["sums", "witness", "answers"]) rmSync(`${databaseFile}.${end}`, { force: true });
      releaseLock();
    },
  };
}
