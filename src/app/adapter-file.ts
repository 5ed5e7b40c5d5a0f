import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the adapter of a data folder listens, for commands on the same machine. */
export interface AdapterFile {
  readonly url: string;
  readonly pid: number;
}

const fileIn = (dataFolder: string) => join(dataFolder, "adapter.json");

export function writeAdapterFile(dataFolder: string, adapter: AdapterFile): void {
  const began = beginningOf(adapter.pid) ?? undefined;
  writeFileSync(fileIn(dataFolder), `${JSON.stringify({ ...adapter, began })}\n`, { mode: 0o600 });
}

export function removeAdapterFile(dataFolder: string): void {
  rmSync(fileIn(dataFolder), { force: true });
}

/**
 * Reads the file; null if no adapter runs on this folder. A killed adapter leaves its file behind, so the process is
 * checked as well, and when it began: in a container every program is process 1.
 */
export function readAdapterFile(dataFolder: string): AdapterFile | null {
  try {
    const { url, pid, began } = JSON.parse(readFileSync(fileIn(dataFolder), "utf8")) as Partial<AdapterFile> & {
      readonly began?: string;
    };
    if (typeof url !== "string" || typeof pid !== "number" || !isRunning(pid) || isAnother(pid, began)) return null;
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

/** Whether this number belongs to another process now; false where nobody can tell. */
function isAnother(pid: number, began: string | undefined): boolean {
  const now = beginningOf(pid);
  return began !== undefined && now !== null && now !== began;
}

/** When a process began, as Linux counts it; null on other systems, or if it may not be seen. */
function beginningOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold spaces and brackets itself. The beginning is field 22, and the first one here is field 3.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
