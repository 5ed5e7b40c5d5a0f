import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileName = "last-version";

/** Returns the version that last opened the data folder; null if it is unknown. */
export function lastVersion(dataFolder: string): string | null {
  try {
    const text = readFileSync(join(dataFolder, fileName), "utf8").trim();
    return /^\d+\.\d+\.\d+$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Stores the version at each start, for the preparation of an upgrade. */
export function noteVersion(dataFolder: string, version: string): void {
  if (lastVersion(dataFolder) === version) return;
  try {
    writeFileSync(join(dataFolder, fileName), `${version}\n`, { mode: 0o600 });
  } catch {
    // Only `upgrade --check` needs the file. The journal notices a disk that cannot be written to.
  }
}
