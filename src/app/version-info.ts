import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../config/settings.ts";
import type { VersionInfo } from "../contract/schemas/queries.ts";

/** What GET /Status reports. It is read from the package itself, so that it always matches what is installed. */
export function versionInfo(folder = import.meta.dirname): VersionInfo & { readonly version: string } {
  const file = packageFile(folder);
  // This is our own package file, which always has a version.
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  const [majorMinorPatch = "0.0.0"] = version.split("-");
  return { version: majorMinorPatch, title: "Crossdock", buildDateTime: builtAt(folder, file) };
}

/** Returns the time of the build. A checkout has no build stamp, so there the time of the package file is used. */
function builtAt(folder: string, file: string): string {
  const root = dirname(file);
  for (let at = folder; at !== root; at = dirname(at)) {
    const stamp = join(at, buildStampFile);
    if (statSync(stamp, { throwIfNoEntry: false }) === undefined) continue;
    // The build wrote this file.
    return (JSON.parse(readFileSync(stamp, "utf8")) as BuildStamp).buildDateTime;
  }
  return statSync(file).mtime.toISOString();
}

/** Finds the nearest package.json upwards. Its distance differs between the sources and the build. */
export function packageFile(folder: string): string {
  const file = join(folder, "package.json");
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return file;
  if (dirname(folder) === folder)
    throw new Error("Crossdock's own package.json is missing; install the package again.");
  return packageFile(dirname(folder));
}

/** The folder of the built web console: `npm ci` builds it, and the package contains it. */
export const consoleFolder = (folder = import.meta.dirname): string =>
  join(dirname(packageFile(folder)), "dist", "console");

/** The folder of the files of /docs, which the build copies. */
export const swaggerUiFolder = (folder = import.meta.dirname): string =>
  join(dirname(packageFile(folder)), "dist", "swagger-ui");

/** The name of the file beside the build. */
export const buildStampFile = "build.json";

interface BuildStamp {
  readonly buildDateTime: string;
}

/** Returns the build stamp. SOURCE_DATE_EPOCH makes two builds of the same sources identical, byte for byte. */
export function buildStamp({ SOURCE_DATE_EPOCH: epoch }: Environment, nowMs: number): BuildStamp {
  const ms = epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : nowMs;
  return { buildDateTime: `${new Date(ms).toISOString().slice(0, 19)}Z` };
}
