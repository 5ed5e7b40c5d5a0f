import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../kit/narrow.ts";
import { type Finding, failure, fine, reasonOf, warning } from "./finding.ts";

/** Types of file systems that do not give the guarantees a database needs, by the kernel's numbers. */
const networkTypes: Readonly<Record<number, string>> = {
  26985: "NFS",
  4283649346: "CIFS",
  4266872130: "SMB",
  1702057286: "FUSE",
};
const mib = 2 ** 20;
const rounds = 15;
/** If a sync takes longer, a floor with many operators waits for the disk at every step. */
const slowSyncMs = 50;
const moreSpace = "Free some space, or move the data folder to a larger disk.";

/**
 * Examines the data folder: who may read it, on which file system it is, how much is free, and how fast the disk
 * confirms a write.
 */
export function examineFolder(folder: string): Finding[] {
  const subject = "data folder";
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return examineParent(folder);
  if (!found.isDirectory())
    return [failure(subject, `${folder} is not a folder`, "Set CROSSDOCK_DATA_DIR to a folder.")];
  const isOpen = process.platform !== "win32" && (found.mode & 0o077) !== 0;
  const rights = isOpen
    ? warning(subject, `other users may look into ${folder}`, `chmod 700 ${folder}`)
    : fine(subject, `${folder} belongs to its owner alone`);
  const before: Finding[] = [rights];
  try {
    before.push(...filesOf(folder, found), ...spaceOf(folder));
    return [...before, syncOf(folder)];
  } catch (error) {
    return [
      ...before,
      failure(subject, `it cannot be written to: ${reasonOf(error)}`, unwritableRemedy(folder, error)),
    ];
  }
}

function unwritableRemedy(folder: string, error: unknown): string {
  const code = errorCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") return moreSpace;
  if (code === "EROFS")
    return "Mount its file system for writing; under systemd, name the folder in ReadWritePaths= of the unit.";
  return `Run this as the adapter's user, or let it own the folder: chown -R crossdock ${folder}`;
}

/** Examines where the first start is going to create the folder. */
function examineParent(folder: string): Finding[] {
  const subject = "data folder";
  let parent = dirname(folder);
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    return [fine(subject, `${folder} does not exist yet; the first start creates it`), ...spaceOf(parent)];
  } catch (error) {
    const remedy = `Create it for the adapter's user: install -d -o crossdock -g crossdock -m 0700 ${folder}`;
    return [failure(subject, `${folder} does not exist, and cannot be created: ${reasonOf(error)}`, remedy)];
  }
}

/** A file that root has made by a command cannot be opened by the adapter. */
function filesOf(folder: string, { uid }: Stats): Finding[] {
  if (process.platform === "win32") return [];
  const foreign = readdirSync(folder).filter((name) => lstatSync(join(folder, name)).uid !== uid);
  if (foreign.length === 0) return [];
  const names = `${foreign.slice(0, 3).join(", ")}${foreign.length > 3 ? ` and ${foreign.length - 3} more` : ""}`;
  const remedy = `Give them to the owner of the folder: chown -R --reference=${folder} ${folder}`;
  return [failure("data folder", `${names}: of another user than the folder itself`, remedy)];
}

function spaceOf(folder: string): Finding[] {
  const { type, bavail, blocks, bsize } = statfsSync(folder);
  const network = networkTypes[type];
  const free = bavail * bsize;
  const total = blocks * bsize;
  const text = `${Math.round(free / mib)} MiB of ${Math.round(total / mib)} MiB are free`;
  // The same limits as those of the running adapter.
  const isFull = free < Math.min(128 * mib, 0.01 * total);
  const isLow = free < Math.min(512 * mib, 0.05 * total);
  return [
    network === undefined
      ? fine("file system", "the data folder is on a local disk")
      : failure(
          "file system",
          `the data folder is on ${network}`,
          "Move it to a local disk: a network file system can lose or double what was stored.",
        ),
    isFull
      ? failure("disk space", `${text}: events are refused`, moreSpace)
      : isLow
        ? warning("disk space", text, moreSpace)
        : fine("disk space", text),
  ];
}

/** Measures the median time of some small writes, each confirmed by the disk, as for every answer to an event. */
function syncOf(folder: string): Finding {
  const file = join(folder, `.doctor-${process.pid}`);
  const handle = openSync(file, "wx", 0o600);
  try {
    const block = Buffer.alloc(4_096, 1);
    const took = Array.from({ length: rounds }, () => {
      const before = performance.now();
      writeSync(handle, block);
      fsyncSync(handle);
      return performance.now() - before;
    }).toSorted((a, b) => a - b);
    const median = took[Math.floor(rounds / 2)] ?? 0;
    const text = `a confirmed write takes ${median.toFixed(1)} ms, the slowest of ${rounds} took ${took.at(-1)?.toFixed(1)} ms`;
    const remedy = "Use a local SSD; a busy, virtual or network disk makes every answer to the floor wait.";
    return median > slowSyncMs ? warning("disk speed", text, remedy) : fine("disk speed", text);
  } finally {
    closeSync(handle);
    rmSync(file, { force: true });
  }
}
