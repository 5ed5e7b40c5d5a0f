import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { holdInstanceLock, isFolderInUse } from "../../journal/sqlite/writer/durability.ts";
import { FolderUnwritable, writeFailure } from "./write-failure.ts";

/** More than there are backups that end between two lines of this one. */
const mostAttempts = 100;

/** Two backups that write to one folder, such as a slow one and the next of its timer, would spoil each other. */
export function holdTarget(target: string, hold = holdInstanceLock): () => void {
  const lockFile = `${target}.part.lock`;
  const wasThere = existsSync(lockFile);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const release = heldAtItsPath(lockFile, hold);
    return () => {
      // While it is locked: afterwards it could be the lock of the next one.
      removeIfPossible(lockFile);
      release();
    };
  } catch (error) {
    if (!isFolderInUse(error)) {
      const failed = writeFailure(error, target);
      if (!wasThere) removeIfPossible(lockFile);
      throw failed;
    }
    throw new FolderUnwritable(`another backup is writing to ${target}`, "wait for it, or name another folder", error);
  }
}

/** Locks the file. One that was removed meanwhile, by its last holder, would keep nobody away. */
function heldAtItsPath(lockFile: string, hold: typeof holdInstanceLock): () => void {
  for (let left = mostAttempts; ; left--) {
    const before = identityOf(lockFile);
    const release = hold(lockFile);
    if (before !== null && before === identityOf(lockFile)) return release;
    release();
    if (left === 0) throw new Error(`the lock file ${lockFile} is replaced again and again`);
  }
}

/** The file is not opened for this: closing it would end the locks that this process has on it. */
function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  // The number of a removed file is given to the next one.
  return found === undefined ? null : `${found.dev}-${found.ino}-${found.birthtimeNs}`;
}

function removeIfPossible(lockFile: string): void {
  try {
    rmSync(lockFile, { force: true });
  } catch {
    // The next backup uses it.
  }
}
