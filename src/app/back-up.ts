import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../kit/sqlite.ts";

/** A consistent copy of journal and books while others write; null where the folder has none. Never half a file. */
export async function backUp(dataFolder: string, file: string): Promise<{ bytes: number; entries: number } | null> {
  const source = join(dataFolder, "crossdock.db");
  if (!existsSync(source)) return null;
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true });
  // Not read-only: reading a log that nobody has open needs its index to be rebuilt.
  const database = openDatabase(source);
  try {
    await database.backup(unfinished);
  } finally {
    database.close();
  }
  const entries = checked(unfinished);
  renameSync(unfinished, file);
  return { bytes: statSync(file).size, entries };
}

/** A copy that cannot be read is worse than none: it is found out on the day it is needed. */
function checked(file: string): number {
  const copy = openDatabase(file);
  try {
    const found = copy.statement("PRAGMA quick_check").get<{ quick_check: string }>()?.quick_check;
    if (found !== "ok") throw new Error(`the copy is damaged: ${found}`);
    return copy.statement("SELECT count(*) AS entries FROM entry").get<{ entries: number }>()?.entries ?? 0;
  } finally {
    copy.close();
  }
}
