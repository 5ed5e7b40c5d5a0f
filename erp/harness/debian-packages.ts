import type { Say } from "./real-system.ts";
import { hasProgram, runCommand } from "./run-command.ts";

/** Installs Debian packages that are missing. Only root may: anybody else is told the command. */
export async function installPackages(names: readonly string[], say: Say): Promise<void> {
  if (!(await hasProgram("dpkg"))) {
    throw new Error(`this machine has no Debian packages: install by other means what ${names.join(", ")} contain`);
  }
  const missing = await missingOf(names);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    throw new Error(
      `only root can install packages. Run this as root, then start again:\n  apt-get update && apt-get install --no-install-recommends ${missing.join(" ")}`,
    );
  }
  say(`installing ${missing.length} packages of Debian`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await runCommand("apt-get", ["update", "-qq"], { env });
  await runCommand("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing], { env });
}

async function missingOf(names: readonly string[]): Promise<string[]> {
  // One line per package: its state in two letters (`ii` is installed), its name, perhaps with the architecture.
  const listed = await runCommand("dpkg", ["--list"]);
  const known = new Set([...listed.matchAll(/^ii +([^\s:]+)/gm)].map(([, name]) => name));
  return names.filter((name) => !known.has(name));
}
