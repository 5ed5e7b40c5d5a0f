import { basename, join } from "node:path";
import { integer, row, text } from "../../kit/sqlite/row.ts";
import { type SideFile, setAside } from "../../kit/sqlite/side-database.ts";
import { type Database, isDamage, openDatabase } from "../../kit/sqlite/sqlite.ts";
import { beginning, isSamePosition, type Position } from "../change.ts";
import { type LocalCopy, localCopy } from "../copy/local-copy.ts";
import { type OpenCopy, removeFile } from "../copy/open-copy.ts";
import type { DeploymentState } from "../postgres/change-log.ts";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { sideStream } from "../postgres/side-stream.ts";
import { type FollowedStream, followStream } from "../standby/follow-stream.ts";

export interface SideCopiesNeeds {
  readonly request: ReconnectingClient["request"];
  readonly deployment: string;
  readonly dataFolder: string;
  readonly files: readonly SideFile[];
  readonly notify: (text: string) => void;
}

/** The side databases of a process that follows the owner. */
export interface SideCopies {
  readonly catchUp: (last: DeploymentState["sides"], mayGoOn: () => Promise<boolean>) => Promise<void>;
  readonly close: () => void;
}

/**
 * A file is open only while it has to catch up: a process may follow hundreds of deployments, and each file that is open
 * takes three descriptors and some memory.
 */
export function openSideCopies({ request, deployment, dataFolder, files, notify }: SideCopiesNeeds): SideCopies {
  const opened = new Map<string, { readonly copy: OpenCopy; readonly followed: FollowedStream }>();
  /** The positions of files that were open before; nobody else writes to them. */
  const positions = new Map<string, Position>();
  const open = (side: SideFile) => {
    const copy = openSideCopy(join(dataFolder, side.name), side, notify);
    const one = { copy, followed: followStream({ request, stream: sideStream(deployment, side.name), copy, notify }) };
    opened.set(side.name, one);
    return one;
  };
  const close = (name: string) => {
    const one = opened.get(name);
    opened.delete(name);
    one?.copy.close();
  };
  return {
    catchUp: async (last, mayGoOn) => {
      for (const side of files) {
        const wanted = last.get(sideStream(deployment, side.name)) ?? beginning;
        const before = positions.get(side.name);
        if (before === undefined || !isSamePosition(before, wanted)) {
          const { copy, followed } = opened.get(side.name) ?? open(side);
          await followed.catchUp(wanted, mayGoOn);
          positions.set(side.name, copy.position());
          // It stays open as long as each round brings changes.
          if (before !== undefined) continue;
        }
        close(side.name);
      }
    },
    close: () => {
      for (const name of [...opened.keys()]) close(name);
    },
  };
}

/** Opens the file of a process that follows the owner; nobody else writes to it. */
export function openSideCopy(file: string, { createTables }: SideFile, notify: (text: string) => void): OpenCopy {
  const open = (): Database => {
    const made = openDatabase(file, { isPrivate: true });
    withoutSyncs(made);
    made.exec("PRAGMA journal_mode = WAL");
    createTables(made);
    return made;
  };
  const openNew = (): Database => {
    removeFile(file);
    return open();
  };
  const openFirst = (): Database => {
    try {
      const found = open();
      // If its last owner was killed, the file may have changes that PostgreSQL does not have.
      const isAhead = isOwned(found);
      const isForeign = localCopy(found).position().number === 0 && hasRows(found);
      if (!isAhead && !isForeign) return found;
      found.close();
      if (isForeign && !isAhead)
        notify(`${basename(file)} was never in PostgreSQL; it is kept as ${setAside(file, "not-shared")}.`);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    return openNew();
  };
  let database = openFirst();
  let copy: LocalCopy = localCopy(database);
  return {
    position: () => copy.position(),
    moveTo: (position) => copy.moveTo(position),
    apply: (changes) => copy.apply(changes),
    startOver: async (put) => {
      database.close();
      removeFile(file);
      try {
        await put?.(file);
      } finally {
        database = open();
        // A snapshot is a copy of its owner's file and still marked as owned, so the mark is removed.
        markOwned(database, false);
        copy = localCopy(database);
      }
    },
    close: () => database.close(),
  };
}

/**
 * PostgreSQL can replace the file, so nobody has to wait for the disk. Called before anything else: creating a file
 * waits for it several times.
 */
export const withoutSyncs = (database: Database): void => database.exec("PRAGMA synchronous = OFF");

const isOurs = "name IN ('copy_position', 'copy_owned')";
const nameRow = row({ name: text });

/** Whether the replicated tables have rows. */
function hasRows(database: Database): boolean {
  const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND NOT ${isOurs} AND name NOT LIKE 'sqlite_%'`;
  return database
    .query(tables, nameRow)
    .all()
    .some(({ name }) => database.statement(`SELECT 1 FROM "${name}" LIMIT 1`).get() !== undefined);
}

const ownedTable = "CREATE TABLE IF NOT EXISTS copy_owned (is_owned INTEGER NOT NULL) STRICT";

/**
 * Marks a file whose owner may be ahead of PostgreSQL. The table has no primary key on purpose, so it is not recorded.
 */
export function markOwned(database: Database, isOwned: boolean): void {
  database.exec(`${ownedTable}; DELETE FROM copy_owned`);
  database.statement("INSERT INTO copy_owned (is_owned) VALUES (?)").run(isOwned ? 1 : 0);
}

function isOwned(database: Database): boolean {
  database.exec(ownedTable);
  const found = database.query("SELECT is_owned FROM copy_owned", row({ is_owned: integer })).get();
  return found?.is_owned === 1;
}
