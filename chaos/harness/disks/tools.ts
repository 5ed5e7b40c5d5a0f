import { spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";

const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;

/** Runs a program of the system; if it fails, throws an error with its output. */
export function runTool(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    // An ordinary user's path leaves out the folder where losetup and mkfs are.
    env: { ...process.env, PATH: path },
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr || stdout}`);
  return stdout.trim();
}

const mostTries = 600;

/**
 * Unmounts as soon as nothing uses the folder. A program that another thread of this process is just starting has all of
 * its open files for a moment.
 */
export async function unmountWhenFree(folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      runTool("umount", folder);
      return;
    } catch (error) {
      if (tries === mostTries || !String(error).includes("busy")) throw error;
      await setTimeout(50);
    }
  }
}

/** Returns the first of these programs that is not installed; null if all are. */
export function missingProgram(programs: Readonly<Record<string, string>>): string | null {
  for (const [program, debianPackage] of Object.entries(programs)) {
    const found =
      spawnSync("sh", ["-c", `command -v ${program}`], { env: { ...process.env, PATH: path } }).status === 0;
    if (!found) return `${program} is missing (apt-get install ${debianPackage})`;
  }
  return null;
}
