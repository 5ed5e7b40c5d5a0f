import { type Dirent, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Names of devices, whatever follows after a dot. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const unusual = /[<>:"|?*\\]|[. ]$/;
/** Windows allows 260 characters for a whole path, unless it is told otherwise. */
const longestPath = 180;

/** Says what in a folder Windows could not unpack or run; empty if everything is in order. */
export function unusableOnWindows(folder: string): string[] {
  const seen = new Map<string, string>();
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/");
    const same = seen.get(path.toLowerCase());
    seen.set(path.toLowerCase(), path);
    return [
      ...problemsOf(entry, path),
      ...(same === undefined ? [] : [`${path} and ${same} differ only in letter case`]),
    ];
  });
}

function problemsOf(entry: Dirent, path: string): string[] {
  return [
    ...(entry.isSymbolicLink() ? [`${path} is a link`] : []),
    ...(device.test(entry.name) || unusual.test(entry.name) ? [`${path} has a name that Windows refuses`] : []),
    ...(path.length > longestPath ? [`${path} is too long`] : []),
    // Built for the system that makes the package.
    ...(entry.name.endsWith(".node") ? [`${path} is a program of this system`] : []),
  ];
}
