import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../kit/narrow.ts";
import { DataFolderUnusable, databasesIn } from "./refuse-folders.ts";

/**
 * Throws if this user may not write to the data folder or to a database in it, such as after a command was run as root.
 * Otherwise SQLite would only say that it is unable to open something.
 */
export function refuseUnwritable(dataFolder: string, uid = process.getuid?.()): void {
  const reason = refusalOf(dataFolder, constants.W_OK | constants.X_OK);
  if (reason === "EROFS") {
    const next = "mount it for writing; under systemd, name the folder in ReadWritePaths= of the unit";
    throw new DataFolderUnusable(`the file system of the data folder ${dataFolder} is read-only`, next);
  }
  const user = uid === undefined ? "this user" : `this user (${uid})`;
  const owner = uid === undefined ? "give it to this user" : `give it to this user: chown -R ${uid} ${dataFolder}`;
  const next = `${owner}; or run this as the adapter's user, or name another folder in CROSSDOCK_DATA_DIR`;
  if (reason !== null) throw new DataFolderUnusable(`${user} may not write to the data folder ${dataFolder}`, next);
  const refused = databasesIn(dataFolder).filter(
    (name) => refusalOf(join(dataFolder, name), constants.R_OK | constants.W_OK) !== null,
  );
  if (refused.length === 0) return;
  throw new DataFolderUnusable(`${user} may not write to ${refused.join(", ")} in ${dataFolder}`, next);
}

/** Why the rights are missing; null if they are there, or if it is not there at all. */
function refusalOf(path: string, rights: number): "EACCES" | "EPERM" | "EROFS" | null {
  try {
    accessSync(path, rights);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") return code;
  }
  return null;
}
