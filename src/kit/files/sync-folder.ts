import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { errorCode, isOneOf } from "../narrow.ts";

/**
 * Without the sync of the folder, a new name may be lost in a power cut although the bytes are on the disk. Windows
 * cannot do that, and need not.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  } finally {
    await handle.close();
  }
}

/** Like syncFolder, for commands and first starts, where nobody else waits. */
export function syncFolderNow(path: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  } finally {
    closeSync(handle);
  }
}

/** Some network drives do not support it; there is no stronger guarantee to get. */
const isUnsupported = (error: unknown) => isOneOf(["EINVAL", "ENOTSUP", "EPERM"], errorCode(error));
