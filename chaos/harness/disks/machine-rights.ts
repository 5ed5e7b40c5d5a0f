import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingProgram, runTool } from "./tools.ts";

/**
 * Rights that a machine may refuse although everything is installed, as containers do. Each right is tried and not
 * guessed: a container may show the device and still refuse the mount.
 */
const tries = {
  "loop-mounts": () => {
    inFolder((folder) => {
      const image = join(folder, "disk.img");
      writeFileSync(image, Buffer.alloc(2 ** 16));
      runTool("losetup", "--detach", runTool("losetup", "--find", "--show", image));
      mountSmallDisk(folder);
    });
  },
  "small-disks": () => inFolder(mountSmallDisk),
  tracing: () => {
    runTool("strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:delay_exit=1", "true");
  },
} as const satisfies Record<string, () => void>;

export type MachineRight = keyof typeof tries;
/** The keys of the table; Object.keys loses their type. */
export const machineRights = Object.keys(tries) as MachineRight[];

const known = new Map<MachineRight, string | null>();

/** Why the machine does not grant this right; null if it does. */
export function missingRight(right: MachineRight): string | null {
  const before = known.get(right);
  if (before !== undefined) return before;
  let reason: string | null = null;
  try {
    tries[right]();
  } catch (error) {
    reason = `${right}: this machine does not allow it (${error instanceof Error ? error.message : String(error)})`;
  }
  known.set(right, reason);
  return reason;
}

/** Returns what is missing for a separate file system on a loop device; null if nothing is. */
export function missingForVolume(kind: "xfs" | "ext4"): string | null {
  const maker = kind === "xfs" ? { "mkfs.xfs": "xfsprogs" } : { "mkfs.ext4": "e2fsprogs" };
  return (
    notOnLinux() ??
    missingProgram({ ...maker, xfs_io: "xfsprogs", losetup: "mount" }) ??
    missingRight("loop-mounts") ??
    missingFileSystem(kind)
  );
}

export const missingForSmallDisk = (): string | null => notOnLinux() ?? missingRight("small-disks");

/** Returns what is missing to make system calls fail or slow: a tracer that is allowed to trace; null if nothing is. */
export const missingForTracing = (): string | null =>
  notOnLinux() ?? missingProgram({ strace: "strace" }) ?? missingRight("tracing");

const notOnLinux = () => (process.platform === "linux" ? null : "only Linux can do this");

function missingFileSystem(kind: string): string | null {
  const isKnown = () => new RegExp(`\\b${kind}$`, "m").test(readFileSync("/proc/filesystems", "utf8"));
  if (isKnown()) return null;
  // On a fresh machine the kernel module exists but is not loaded yet.
  try {
    runTool("modprobe", kind);
  } catch (error) {
    return `loop-mounts: the kernel does not know ${kind} (${String(error)})`;
  }
  return isKnown() ? null : `loop-mounts: the kernel does not know ${kind}`;
}

function mountSmallDisk(folder: string): void {
  runTool("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder);
  runTool("umount", folder);
}

function inFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-rights-"));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
