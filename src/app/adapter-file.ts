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

/** Null where no adapter runs on this folder: a killed one leaves its file behind, but not its process. */
export function readAdapterFile(dataFolder: string): AdapterFile | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(fileIn(dataFolder), "utf8")) as Partial<AdapterFile>;
    if (typeof url !== "string" || typeof pid !== "number" || !isRunning(pid)) return null;
    return { url, pid };
  } catch {
    return null;
  }
}

/** Whoever has the port now must not be handed the key of an adapter that is gone. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
