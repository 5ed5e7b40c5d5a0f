import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/**
 * Uses memory if there is enough, because a new data folder on a disk takes a third of a second. A killed process loses
 * nothing there either. What a power cut or a failing disk loses is tested on separate disks (chaos).
 */
function place(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    // Some tests start a program from their folder, so it must allow execution.
    const mayRun = /^\S+ \/dev\/shm \S+ (?!\S*\bnoexec\b)/m.test(readFileSync("/proc/mounts", "utf8"));
    return mayRun && bavail * bsize > neededBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

const chosen = place();

export const newFolder = () => mkdtempSync(join(chosen, "crossdock-"));
export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** A new folder for one test, deleted afterwards. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}
