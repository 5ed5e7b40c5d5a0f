import { readFileSync, statSync } from "node:fs";
import type { VersionInfo } from "../contract/schemas/asks.ts";

/** What GET /Status says: read once from the package itself, so that it can never disagree with what is installed. */
export function versionInfo(): VersionInfo & { readonly version: string } {
  const file = packageFile();
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  const [majorMinorPatch = "0.0.0"] = version.split("-");
  return { version: majorMinorPatch, title: "Crossdock", buildDateTime: statSync(file).mtime.toISOString() };
}

/** Two folders up in the checkout (src/app), three in the build (dist/src/app). */
function packageFile(): URL {
  const candidates = ["../../package.json", "../../../package.json"].map((path) => new URL(path, import.meta.url));
  const file = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false }) !== undefined);
  if (file === undefined) throw new Error("Crossdock's own package.json is missing; install the package again.");
  return file;
}
