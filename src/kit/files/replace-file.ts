import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder, syncFolderNow } from "./sync-folder.ts";

const ownerOnly = 0o600;

/**
 * Replaces a file in one step: if the program is killed or the power cut, the old file or the new one is there, never
 * half of one. When it returns, the new one is on the disk. A new file can be read by its owner only; a replaced one
 * keeps its mode.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  try {
    await writeSynced(unfinished, text, modeOf(path));
    await rename(unfinished, path);
  } catch (error) {
    // Half of a file helps nobody, and takes space that may be missing.
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Like replaceFile, for commands and first starts, where nobody else waits. */
export function replaceFileNow(path: string, text: string): void {
  const unfinished = `${path}.new`;
  try {
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, text, { mode: modeOf(path) ?? ownerOnly, flush: true });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  syncFolderNow(dirname(path));
}

/** Writes a file with the given mode, synced. Without a mode only its owner can read it. */
export async function writeSynced(path: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(path, "w", ownerOnly);
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const modeOf = (path: string): number | undefined => (existsSync(path) ? statSync(path).mode : undefined);
