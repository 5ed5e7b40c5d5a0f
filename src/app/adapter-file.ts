import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the adapter of a data folder listens, for commands on the same machine. */
export interface AdapterFile {
  readonly url: string;
  readonly pid: number;
}

const fileIn = (dataFolder: string) => join(dataFolder, "adapter.json");

export function writeAdapterFile(dataFolder: string, adapter: AdapterFile): void {
  writeFileSync(fileIn(dataFolder), `${JSON.stringify(adapter)}\n`, { mode: 0o600 });
}

export function removeAdapterFile(dataFolder: string): void {
  rmSync(fileIn(dataFolder), { force: true });
}

/**
 * Reads the file; null if no adapter runs on this folder. A killed adapter leaves its file behind, so the process is
 * checked as well.
 */
export function readAdapterFile(dataFolder: string): AdapterFile | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(fileIn(dataFolder), "utf8")) as Partial<AdapterFile>;
    if (typeof url !== "string" || typeof pid !== "number" || !isRunning(pid)) return null;
    return { url, pid };
  } catch {
    return null;
  }
}

/**
 * Whether the process still exists. If the adapter is gone, another process may use its port, and that one must not
 * receive the key.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
