import { existsSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Recovery } from "../../journal/sqlite/recovery/plan-recovery.ts";
import { replaceFileNow } from "../../kit/files/replace-file.ts";
import type { Log } from "../../kit/log.ts";
import { DataFolderUnusable } from "../data-folder/refuse-folders.ts";

/** A recovery that was decided on. It is stored before the first file is replaced, so that it can be finished later. */
export interface BegunRecovery {
  readonly damages: readonly string[];
  readonly best: Recovery;
  /** The folder for the damaged files. */
  readonly folder: string;
}

export interface RemovalNeeds {
  readonly dataFolder: string;
  readonly log: Log;
  /** Replaced in tests, because a disk rarely refuses to remove a folder. */
  readonly remove?: typeof rm;
}

/** The folders in which a restore and a move build the files of the data folder. */
const stagedFolders = ["restore.part", "move.part"] as const;
const restoreMark = (dataFolder: string) => join(dataFolder, "restore-unfinished");
const recoveryMark = (dataFolder: string) => join(dataFolder, "recovery-unfinished");

/** Marks the folder as partly restored. Returns the function that removes the mark. */
export function beginRestore(dataFolder: string): () => void {
  replaceFileNow(restoreMark(dataFolder), "");
  return () => {
    // What an interrupted recovery was about is replaced.
    endRecovery(dataFolder);
    rmSync(restoreMark(dataFolder), { force: true });
  };
}

export function beginRecovery(dataFolder: string, recovery: BegunRecovery): void {
  const { damages, best, folder } = recovery;
  // Only names: a copy of the data folder must not be finished in the folder that it was copied from.
  const names = { damages, best: { ...best, file: basename(best.file) }, folder: basename(folder) };
  replaceFileNow(recoveryMark(dataFolder), JSON.stringify(names));
}

export function endRecovery(dataFolder: string): void {
  rmSync(recoveryMark(dataFolder), { force: true });
}

/** The recovery that was interrupted; null if there is none. */
export function begunRecovery(dataFolder: string): BegunRecovery | null {
  try {
    // The function above wrote the file.
    const { damages, best, folder } = JSON.parse(readFileSync(recoveryMark(dataFolder), "utf8")) as BegunRecovery;
    const kept = join(dataFolder, folder);
    return { damages, best: { ...best, file: join(kept, best.file) }, folder: kept };
  } catch {
    // There is none, or it was not written completely. Then nothing was replaced yet.
    return null;
  }
}

/**
 * Throws if a restore was interrupted: a folder whose journal is not restored yet would look new and be started empty.
 */
export function refuseUnfinishedRestore(dataFolder: string): void {
  const again = "run it again: crossdock restore FOLDER --yes";
  const isBegun = existsSync(restoreMark(dataFolder));
  // A copy without a journal beside it: an adapter that started empty would acknowledge events that the repeated restore
  // puts aside.
  const isIntoEmpty = existsSync(join(dataFolder, "restore.part")) && !existsSync(join(dataFolder, "crossdock.db"));
  if (!isBegun && !isIntoEmpty) return;
  throw new DataFolderUnusable(
    "a restore of this data folder was interrupted",
    // Once it has replaced something, the folder is not whole without it.
    isBegun ? again : `${again}; or delete restore.part`,
  );
}

/**
 * Removes the copies of a restore or a move that was killed before it replaced anything: nobody needs them, and they
 * are as large as the data. Called by whoever holds the lock of the folder. One that cannot be removed harms nothing
 * else.
 */
export async function removeStaged({ dataFolder, log, remove = rm }: RemovalNeeds): Promise<void> {
  for (const name of stagedFolders) {
    const folder = join(dataFolder, name);
    try {
      await remove(folder, { recursive: true, force: true });
    } catch (error) {
      log.warn({ err: error, folder }, "what an interrupted restore or move has left cannot be removed");
    }
  }
}

/** Throws if a restore or a recovery was interrupted: some files are replaced already, and others are not. */
export function refuseUnfinished(dataFolder: string): void {
  refuseUnfinishedRestore(dataFolder);
  if (begunRecovery(dataFolder) === null) return;
  throw new DataFolderUnusable(
    "a recovery of this data folder was interrupted, and nothing of it is lost",
    "run it again: crossdock journal recover --yes",
  );
}
