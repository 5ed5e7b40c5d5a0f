import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The file that says that nothing waits in the data folder of a closed deployment, so that a start need not open it. It
 * holds a fingerprint of the database and the configuration: a restored backup or a new poll makes it invalid.
 */
const fileIn = (dataFolder: string) => join(dataFolder, "idle.json");

export function writeIdleFile(dataFolder: string, configFingerprint: string): void {
  writeFileSync(
    fileIn(dataFolder),
    `${JSON.stringify({ configPrint: configFingerprint, database: databaseFingerprint(dataFolder) })}\n`,
    {
      mode: 0o600,
    },
  );
}

export const removeIdleFile = (dataFolder: string): void => rmSync(fileIn(dataFolder), { force: true });

/** Whether nothing can be waiting in a closed deployment. */
export function isKnownIdle(dataFolder: string, configFingerprint: string): boolean {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileIn(dataFolder), "utf8"));
    const now = { configPrint: configFingerprint, database: databaseFingerprint(dataFolder) };
    return JSON.stringify(kept) === JSON.stringify(now);
  } catch {
    return false;
  }
}

/** A fingerprint of the database file; null if there is no database yet. */
export function databaseFingerprint(dataFolder: string): string | null {
  try {
    const { size, mtimeMs } = statSync(join(dataFolder, "crossdock.db"));
    return `${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}
