import { integer, row } from "../../../kit/sqlite/row.ts";
import { type Database, isDamage, openDatabase, primaryCode } from "../../../kit/sqlite/sqlite.ts";
import { seqRow } from "../tables/journal-rows.ts";
import { makeDurable } from "../writer/durability.ts";
import { olderText } from "./compare-mark.ts";

/** Thrown when acknowledged data is missing or changed; the start is refused. */
export class StoreDamaged extends Error {
  readonly damages: readonly string[];
  constructor(damages: readonly string[]) {
    super(`The data folder is damaged. ${damages.join(". ")}.`);
    this.name = "StoreDamaged";
    this.damages = damages;
  }
}

/** Creates the file before it is opened, so that every handle refers to the same file. */
export function makeEmpty(databaseFile: string): void {
  const database = openDatabase(databaseFile, { isPrivate: true });
  makeDurable(database);
  database.close();
}

/**
 * Opens the only handle on the database; closing it moves the log into the database. This also keeps out a second
 * instance that has removed the lock file, because the database itself cannot be removed unnoticed.
 */
export function openAlone(databaseFile: string): Database {
  const database = openDatabase(databaseFile, { isPrivate: true });
  try {
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL;");
    database.statement("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) throw inUse(databaseFile, error);
    throw isDamage(error) ? damagedBy(error) : error;
  }
}

/** The number of the last entry; throws a StoreDamaged if it is below the last acknowledged one. */
export function checkedLastSeq(
  database: Database,
  { isChecked, leastSeq, isLast }: { isChecked: boolean; leastSeq: number; isLast: boolean },
): number {
  try {
    const lastSeq = lastSeqIn(database);
    if (lastSeq < leastSeq) {
      throw new StoreDamaged([olderText("crossdock.db", lastSeq, { leastSeq, isLast })]);
    }
    const found = isChecked ? "ok" : Object.values(database.statement("PRAGMA quick_check(1)").get() ?? {})[0];
    if (found !== "ok") throw new StoreDamaged([`crossdock.db: ${found}`]);
    return lastSeq;
  } catch (error) {
    throw isDamage(error) ? damagedBy(error) : error;
  }
}

const damagedBy = (error: unknown) => new StoreDamaged([`crossdock.db: ${(error as Error).message}`]);

function lastSeqIn(database: Database): number {
  const table = database.query(
    "SELECT count(*) AS found FROM sqlite_schema WHERE name = 'last_entry'",
    row({ found: integer }),
  );
  if (table.get()?.found !== 1) return 0;
  return database.query("SELECT seq FROM last_entry", seqRow).get()?.seq ?? 0;
}

const isBusy = (error: unknown): boolean => primaryCode(error) === 5;

const inUse = (databaseFile: string, cause: unknown) =>
  new Error(
    `Another program is using ${databaseFile}: perhaps a Crossdock whose lock file was removed. Stop it first, or give this one its own folder with CROSSDOCK_DATA_DIR.`,
    { cause },
  );
