import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const markerIn = (dataFolder: string) => join(dataFolder, "restore-unfinished");

/** While this is there, the folder is half the old one and half the new one. Returns what takes it away again. */
export function beginRestore(dataFolder: string): () => void {
  writeFileSync(markerIn(dataFolder), "", { mode: 0o600, flush: true });
  return () => rmSync(markerIn(dataFolder), { force: true });
}

/** Without it, a folder whose journal is not back yet would look like a new one, and be started empty. */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (!existsSync(markerIn(dataFolder))) return;
  throw new Error("A restore of this data folder was broken off. Run it again: crossdock restore FOLDER --yes");
}
