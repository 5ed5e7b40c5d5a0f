import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { openDatabase } from "../../../kit/sqlite.ts";
import { sumsFileOf } from "./page-sums.ts";
import type { Recovery } from "./plan-recovery.ts";
import { openStoreGuard } from "./store-guard.ts";
import { witnessFileOf } from "./witness.ts";

/** Puts what was saved in the place of the damaged files, which are kept in the given folder. */
export function takeRecovery(databaseFile: string, recovery: Recovery, keepIn: string): void {
  const database = openDatabase(recovery.file, { isPrivate: true });
  // A number that was acknowledged is never given a second time.
  const given = recovery.missing?.to ?? recovery.lastSeq;
  database.statement("UPDATE last_entry SET seq = max(seq, ?)").run(given);
  database.close();
  for (const part of ["", "-wal", "-shm"]) {
    if (existsSync(databaseFile + part)) renameSync(databaseFile + part, join(keepIn, basename(databaseFile) + part));
  }
  renameSync(recovery.file, databaseFile);
  beginWitness(databaseFile);
}

/** For a database that was put in its place on purpose: witness and sums are those of this one from now on. */
export function beginWitness(databaseFile: string): void {
  for (const file of [witnessFileOf(databaseFile), sumsFileOf(databaseFile)]) rmSync(file, { force: true });
  openStoreGuard(databaseFile).close(() => {});
}
