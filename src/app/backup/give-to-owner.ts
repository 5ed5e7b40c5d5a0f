import { lchownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives everything in a folder to the owner of the folder. If root restores a data folder, the adapter, which runs as
 * another user, could not open its files otherwise. Without the rights of root it does nothing.
 */
export function giveToOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(folder, path), uid, gid);
  }
}
