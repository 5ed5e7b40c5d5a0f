import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** One entry of `packages` in package-lock.json, as far as it is needed here. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Node for other platforms, and a counter of installations that swagger-ui-dist names and no code imports. */
const notShipped = /^node_modules\/(node-(bin-)?(linux|win|darwin)-|@scarf\/)/;

/**
 * The folders below node_modules that a user needs: what the package depends on, the libraries for databases, mail,
 * SFTP and sign-in that it can use, and what those depend on. An optional one that is not installed is left out.
 */
export function productionModules(lock: Lock, root: string): string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string, isOptional: boolean): void => {
    const place = placeOf(lock, name, from);
    const isThere = place !== null && existsSync(join(root, place, "package.json"));
    if (!isThere || place === null) {
      if (!isOptional) throw new Error(`${name}, needed by ${from || "crossdock"}, is not installed: run npm ci`);
      return;
    }
    if (found.has(place)) return;
    found.add(place);
    follow(place, lock.packages[place] ?? {});
  };
  const follow = (from: string, { dependencies = {}, optionalDependencies = {} }: LockedPackage): void => {
    for (const name of Object.keys(dependencies)) visit(name, from, name in optionalDependencies);
    for (const name of Object.keys(optionalDependencies)) visit(name, from, true);
  };
  const own = lock.packages[""] ?? {};
  follow("", own);
  for (const name of Object.keys(own.peerDependencies ?? {})) visit(name, "", false);
  return [...found].filter((place) => !notShipped.test(place)).sort();
}

/** Where Node finds it: in the folder of whoever needs it, or in one above. */
function placeOf({ packages }: Lock, name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (folder.endsWith("node_modules")) continue;
    const place = folder === "" || folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "" || folder === ".") return null;
  }
}
