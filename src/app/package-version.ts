import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of this package. The file lies at another height from the sources than from the build. */
export function packageVersion(): string {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const version = versionIn(join(folder, "package.json"));
    if (version !== null) return version;
  }
  return "0.0.0";
}

function versionIn(file: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    return name === "crossdock" ? (version ?? null) : null;
  } catch {
    return null;
  }
}
