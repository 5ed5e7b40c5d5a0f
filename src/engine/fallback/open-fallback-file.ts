import { hash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../kit/log.ts";
import { integer, row, text } from "../../kit/sqlite/row.ts";
import type { SideDatabaseOptions, SideFile } from "../../kit/sqlite/side-database.ts";
import { type Database, openDatabase } from "../../kit/sqlite/sqlite.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { isServableItem, isServableOrder, limitsMark } from "../../sdk/servable-record.ts";
import { tables } from "./fallback-tables.ts";
import { knownAnswers } from "./known-answers.ts";
import { knownList } from "./known-list.ts";
import type { LastKnown } from "./last-known.ts";
import { listParts, wholeTexts } from "./list-parts.ts";

export interface FallbackFile {
  readonly of: (connector: string) => LastKnown;
  /** Resolves when everything is in the file. */
  readonly settled: () => Promise<void>;
  readonly close: () => void;
}

const version = 1;
/**
 * How records are stored. Increase it if earlier versions cannot read them: without it they would serve them as they
 * are; with it they check them, and remove what they cannot read.
 */
const form = 2;

export const fallbackFile: SideFile = {
  name: "fallback.db",
  withoutIt: "while an external system does not answer, its last known data is missing",
  createTables: (database) => database.exec(tables),
};

/**
 * Opens the file with the last answers of external systems, which are served while a system does not answer. It is a
 * cache: everything in it can be requested again.
 */
export function openFallbackFile(needs: SideDatabaseOptions & { readonly timers: Timers }): FallbackFile {
  const { timers, log, replica } = needs;
  const opened = openSound(join(needs.dataFolder, fallbackFile.name), log);
  const database = replica === undefined ? opened : replica.add(fallbackFile.name, opened);
  forgetWhatIsBeyond(database, log);
  const answers = knownAnswers({ database, timers, log });
  const parts = listParts(database);
  const lists = new Map<string, ReturnType<typeof knownList>>();
  const listOf = (connector: string) => {
    let list = lists.get(connector);
    if (list === undefined) {
      list = knownList({ database, parts, timers, log, connector });
      lists.set(connector, list);
    }
    return list;
  };
  return {
    of: (connector) => ({ ...listOf(connector), ...answers.of(connector) }),
    settled: async () => {
      answers.flush();
      await Promise.all([...lists.values()].map((list) => list.settled()));
    },
    close: () => {
      for (const list of lists.values()) list.stop();
      answers.stop();
      // Marks a clean shutdown, so that the next start skips the check.
      database.exec(`PRAGMA user_version = ${version}`);
      database.close();
    },
  };
}

/**
 * Opens the file and deletes it first if a power failure damaged it. It is only a cache and was not synced to the disk.
 */
function openSound(file: string, log: Log): Database {
  try {
    const database = openDatabase(file, { isPrivate: true });
    try {
      const wasClosed =
        database.query("PRAGMA user_version", row({ user_version: integer })).get()?.user_version === version;
      // Not synced: waiting for the disk would hold up the whole adapter, and the data can be requested again.
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA journal_size_limit = 16777216");
      const check = wasClosed ? undefined : database.query("PRAGMA quick_check(1)", row({ quick_check: text })).get();
      if (check !== undefined && check.quick_check !== "ok") throw new Error(check.quick_check);
      database.exec("PRAGMA user_version = 0");
      database.exec(tables);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    log.warn({ err: error }, "the fallback data cannot be read; it is deleted and collected again");
    for (const part of ["", "-wal", "-shm"]) rmSync(file + part, { force: true });
    const database = openDatabase(file, { isPrivate: true });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA journal_size_limit = 16777216");
    database.exec(tables);
    return database;
  }
}

/** Stored dates already have their offset. */
const dates = { timeZone: "UTC", timeOfDay: "00:00" };

/**
 * Removes, once per version, stored data that this version would not serve. Fallback data is served unchecked, and one
 * such order would make a whole list unreadable. If the external system sends such an order again, it goes to
 * quarantine as usual.
 */
function forgetWhatIsBeyond(database: Database, log: Log): void {
  // The mark fits the 31 bits available in the file.
  const mark = Number.parseInt(hash("sha1", `${form} ${limitsMark()}`).slice(0, 7), 16);
  const noted = database.query("PRAGMA application_id", row({ application_id: integer })).get()?.application_id;
  if (noted === mark) return;
  const whole = wholeTexts(database);
  // Collected first and deleted afterwards: deleting while iterating could end the iteration.
  const listed = database.statement("SELECT id, digest, json FROM listed_order");
  const orders = [...listed.iterate()].flatMap(([id = 0, digest, json]) =>
    isServable("findWorkOrderByCode", whole(String(digest), String(json))) ? [] : [id],
  );
  const answers = database.statement("SELECT connector, operation, key, json FROM answer WHERE json IS NOT NULL");
  const beyond = [...answers.iterate()].flatMap(([connector = "", operation = "", key = "", json]) =>
    isServable(String(operation), String(json)) ? [] : [[connector, operation, key] as const],
  );
  for (const id of orders) database.statement("DELETE FROM listed_order WHERE id = ?").run(id);
  for (const key of beyond) {
    database.statement("DELETE FROM answer WHERE connector = ? AND operation = ? AND key = ?").run(...key);
  }
  const forgotten = orders.length + beyond.length;
  database.exec(`PRAGMA application_id = ${mark}`);
  if (forgotten > 0) log.warn({ records: forgotten }, "fallback data beyond the limits of this version was deleted");
}

/** Also false for text that is not JSON. A removed record is missing only until it is requested again. */
function isServable(operation: string, json: string): boolean {
  try {
    return isOfTheForm(operation, json);
  } catch {
    return false;
  }
}

function isOfTheForm(operation: string, json: string): boolean {
  if (operation === "getItem") return isServableItem(json);
  if (operation === "findWorkOrderByCode") return isServableOrder(json, dates);
  if (operation !== "findPutWallOrders") return true;
  const found: unknown = JSON.parse(json);
  return Array.isArray(found) && found.every((order) => isServableOrder(JSON.stringify(order), dates));
}
