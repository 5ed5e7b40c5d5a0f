import { readFileSync } from "node:fs";
import { type Finding, failure, fine, warning } from "./finding.ts";

/** Facts about the machine. They are passed in, so that tests can simulate any machine. */
export interface Machine {
  readonly nodeVersion: string;
  readonly totalBytes: number;
  /** The limit of the container or the service; null if there is none. */
  readonly memoryLimitBytes: number | null;
  /** How many files the process may open; null if that is not known. */
  readonly openFiles: number | null;
  /** Whether the machine runs Linux with another C library than glibc. */
  readonly isMusl: boolean;
  readonly now: number;
}

const mib = 2 ** 20;
const neededBytes = 512 * mib;
const neededFiles = 4_096;
/** This version is newer than this date, so an earlier clock is wrong. */
const earliest = Date.UTC(2026, 0, 1);
const latest = Date.UTC(2100, 0, 1);

/** Examines the version of Node, the memory, the limit of open files and the clock. */
export function examineMachine(machine: Machine): Finding[] {
  const { nodeVersion, totalBytes, memoryLimitBytes, openFiles, isMusl, now } = machine;
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOld = major < 24 || (major === 24 && minor < 12);
  const bytes = Math.min(totalBytes, memoryLimitBytes ?? totalBytes);
  const size = `${Math.round(bytes / mib)} MiB`;
  return [
    isOld
      ? failure("node", `Node ${nodeVersion} is too old`, "Use the Node that comes with Crossdock, or 24.12 or newer.")
      : fine("node", `Node ${nodeVersion}`),
    bytes < neededBytes
      ? warning(
          "memory",
          `the process may use ${size}`,
          "Give it at least 512 MiB: MemoryMax= of the unit, or the container's limit.",
        )
      : fine("memory", `the process may use ${size}`),
    ...(openFiles === null
      ? []
      : openFiles < neededFiles
        ? [
            warning(
              "open files",
              `the process may open ${openFiles} files`,
              "Set LimitNOFILE=65536 in the unit, or ulimit -n 65536.",
            ),
          ]
        : [fine("open files", `the process may open ${openFiles} files`)]),
    ...(isMusl
      ? [warning("system", "this system has no glibc", "Use Debian or another system with glibc; Alpine is not tried.")]
      : []),
    now < earliest || now > latest
      ? failure(
          "clock",
          `the clock shows ${new Date(now).toISOString()}`,
          "Set the clock, and let it follow a time server: timedatectl set-ntp true.",
        )
      : fine("clock", `the clock shows ${new Date(now).toISOString()}`),
  ];
}

export function thisMachine({ now, totalBytes }: { now: number; totalBytes: number }): Machine {
  // The report is declared as a plain object; Node's documentation lists these members.
  const header = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return {
    nodeVersion: process.versions.node,
    totalBytes,
    memoryLimitBytes: limitIn("/sys/fs/cgroup/memory.max") ?? limitIn("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    openFiles: openFilesIn(textOf("/proc/self/limits")),
    isMusl: process.platform === "linux" && header?.header?.glibcVersionRuntime === undefined,
    now,
  };
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Other systems have no such file; then nothing is reported about it.
    return "";
  }
};

/** Reads a limit in bytes. `max` means no limit, and so does the huge number that older systems write. */
function limitIn(file: string): number | null {
  const bytes = Number(textOf(file).trim() || "none");
  return Number.isFinite(bytes) && bytes < 2 ** 60 ? bytes : null;
}

function openFilesIn(limits: string): number | null {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}
