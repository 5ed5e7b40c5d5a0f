import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { markFileOf } from "../../journal/sqlite/damage/journal-mark.ts";
import { replaceFileNow } from "../../kit/files/replace-file.ts";
import { isDamage, openDatabase } from "../../kit/sqlite/sqlite.ts";
import { StoreUnusable } from "../../replication/postgres/store-unusable.ts";

/** Where the data of a folder was moved to. */
export interface MovedMark {
  /** The address without its password. */
  readonly to: string;
  readonly deployment: string;
  /** The folder inside the data folder that the files were, or are being, moved to. */
  readonly keptIn?: string;
}

const movedFile = (dataFolder: string) => join(dataFolder, "moved.json");
const unfinishedFile = (dataFolder: string) => join(dataFolder, "move-unfinished");

/**
 * Marks a move as unfinished. Until the mark is removed, both places could seem to be the right one, so neither may be
 * started.
 */
export function markUnfinished(dataFolder: string, to: string): void {
  replaceFileNow(unfinishedFile(dataFolder), to);
}

export const isUnfinished = (dataFolder: string): boolean => existsSync(unfinishedFile(dataFolder));

/** Returns the target of an unfinished move; null if there is none. */
export const unfinishedMove = (dataFolder: string): string | null =>
  isUnfinished(dataFolder) ? readFileSync(unfinishedFile(dataFolder), "utf8") : null;

export function clearUnfinished(dataFolder: string): void {
  rmSync(unfinishedFile(dataFolder), { force: true });
}

export function markMovedAway(dataFolder: string, mark: MovedMark): void {
  replaceFileNow(movedFile(dataFolder), `${JSON.stringify(mark)}\n`);
}

export function clearMovedAway(dataFolder: string): void {
  rmSync(movedFile(dataFolder), { force: true });
}

/** Returns where the data of this folder was moved to; null if it was not moved. */
export function movedAwayFrom(dataFolder: string): MovedMark | null {
  if (!existsSync(movedFile(dataFolder))) return null;
  // The function above wrote the file.
  return JSON.parse(readFileSync(movedFile(dataFolder), "utf8")) as MovedMark;
}

/** Throws if the data of the folder was moved: otherwise the folder would look new and be started empty. */
export function refuseMovedFolder(dataFolder: string, deployment: string | null): void {
  const to = unfinishedMove(dataFolder);
  if (to !== null) {
    throw new StoreUnusable(
      "a move of this data folder was interrupted, and nothing is lost",
      `run it again: crossdock move --to ${to}`,
      null,
    );
  }
  const moved = movedAwayFrom(dataFolder);
  // A finished move to PostgreSQL may have left its copies, too.
  const hasPart = moved === null && existsSync(join(dataFolder, "move.part"));
  if (deployment === null && hasPart && !existsSync(join(dataFolder, "crossdock.db"))) {
    throw new StoreUnusable(
      "a move into this data folder was interrupted, and nothing is lost",
      "run it again: crossdock move --to sqlite",
      null,
    );
  }
  if (moved === null || moved.deployment === deployment) return;
  throw new StoreUnusable(
    `the data of this folder was moved to ${moved.to}, as deployment ${moved.deployment}`,
    "start it with `store` and `deployment` as they were given to the move, or move it back: crossdock move --to sqlite",
    null,
  );
}

/** Whether a folder has entries of its own and is no copy of a deployment in PostgreSQL. */
export const holdsOwnData = (dataFolder: string): boolean => contentOf(dataFolder) === "own";

/**
 * What the journal of a folder is: the only one, a copy of PostgreSQL's data, or without an entry. A journal that
 * cannot be read may be the only one, so it counts as that; opening it reports what is damaged.
 */
function contentOf(dataFolder: string): "own" | "copy" | "nothing" {
  const file = join(dataFolder, "crossdock.db");
  if (!existsSync(file)) return "nothing";
  const database = openDatabase(file, { readOnly: true });
  try {
    const has = (table: string) =>
      database.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
    if (has("copy_position")) return "copy";
    return has("entry") && database.statement("SELECT 1 FROM entry LIMIT 1").get() !== undefined ? "own" : "nothing";
  } catch (error) {
    if (isDamage(error)) return "own";
    throw error;
  } finally {
    database.close();
  }
}

/** Whether the journal of a folder is a copy of a deployment in PostgreSQL. */
export const holdsCopy = (dataFolder: string): boolean => contentOf(dataFolder) === "copy";

/**
 * Throws if the folder is a copy: if the copy continued alone, it and PostgreSQL would each have entries that the other
 * lacks.
 */
export function refuseCopy(dataFolder: string): void {
  if (!holdsCopy(dataFolder)) return;
  throw new StoreUnusable(
    "this data folder is a copy of a deployment in PostgreSQL",
    "start it with `store` as before, or take the deployment here: crossdock move --to sqlite",
    null,
  );
}

/** Throws if the folder has data of its own: a start with PostgreSQL would replace that data by PostgreSQL's. */
export function refuseOwnData(dataFolder: string): void {
  if (!holdsOwnData(dataFolder)) return;
  throw new StoreUnusable(
    "this data folder has data that is not in PostgreSQL",
    "take it there: crossdock move --to postgres://…; or start with another data folder",
    null,
  );
}

/** The name of the next folder for files that are set aside. */
export function nextKeptIn(dataFolder: string): string {
  let nth = 1;
  while (existsSync(join(dataFolder, `before-move-${nth}`))) nth++;
  return `before-move-${nth}`;
}

/**
 * Moves files, and the files that SQLite and the journal keep for them, into a folder; null if there are none.
 * An interrupted call is continued by another one with the same folder.
 */
export function setAsideFiles(
  dataFolder: string,
  names: readonly string[],
  { keptIn = nextKeptIn(dataFolder), onStep }: { readonly keptIn?: string; readonly onStep: (step: string) => void },
): string | null {
  const folder = join(dataFolder, keptIn);
  const found = existsSync(dataFolder) ? readdirSync(dataFolder) : [];
  const mark = names.includes("crossdock.db") ? basename(markFileOf(join(dataFolder, "crossdock.db"))) : null;
  const theirs = found
    .filter(
      (name) =>
        name === mark ||
        names.some(
          (one) =>
            name === one ||
            (/^(-wal|-shm|\.witness|\.sums|\.answers)$/.test(name.slice(one.length)) && name.startsWith(one)),
        ),
    )
    // Each database before its log: without the log, it could be taken for an older one that is whole.
    .sort();
  if (theirs.length === 0) return existsSync(folder) ? folder : null;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of theirs) {
    onStep(`set ${name} aside`);
    renameSync(join(dataFolder, name), join(folder, name));
  }
  return folder;
}
