import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** Runs a system program and fails with its output. */
export function runTool(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr || stdout}`);
  return stdout.trim();
}

const isRoot = () => process.getuid?.() === 0;

function missingPrograms(programs: Readonly<Record<string, string>>): string | null {
  for (const [program, debianPackage] of Object.entries(programs)) {
    const found = spawnSync("sh", ["-c", `PATH="$PATH:/sbin:/usr/sbin" command -v ${program}`]).status === 0;
    if (!found) return `${program} is missing (Debian package ${debianPackage})`;
  }
  return null;
}

/** What is missing for mounting a loop device. */
export function missingForVolume(kind: "xfs" | "ext4"): string | null {
  if (!isRoot()) return "only root may mount a loop device";
  if (!existsSync("/dev/loop-control")) return "there are no loop devices";
  if (!readFileSync("/proc/filesystems", "utf8").includes(kind)) return `the kernel does not know ${kind}`;
  const maker = kind === "xfs" ? { "mkfs.xfs": "xfsprogs" } : { "mkfs.ext4": "e2fsprogs" };
  return missingPrograms({ ...maker, xfs_io: "xfsprogs", losetup: "mount" });
}

export function missingForTmpfs(): string | null {
  return process.platform === "linux" && isRoot() ? null : "only root may mount a small disk";
}

let tracing: string | null | undefined;

/** What is missing for failing and slow system calls: a tracer that is allowed to trace. */
export function missingForTracing(): string | null {
  if (tracing !== undefined) return tracing;
  tracing = missingPrograms({ strace: "strace" });
  if (tracing !== null) return tracing;
  try {
    execFileSync("strace", ["-f", "-o", "/dev/null", "-e", "inject=fsync:delay_exit=1", "true"], { stdio: "ignore" });
  } catch {
    tracing = "strace may not trace here (ptrace is not allowed)";
  }
  return tracing;
}
