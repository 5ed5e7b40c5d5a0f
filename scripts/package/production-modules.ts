import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The used part of an entry of `packages` in package-lock.json. */
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

/** Node for other platforms, which is not shipped. */
const notShipped = /^node_modules\/node-(bin-)?(linux|win|darwin)-/;
/** Libraries whose files the build copies, so that users do not install them. */
export const vendored = ["node_modules/swagger-ui-dist"];

/**
 * The folders below node_modules that a user needs: the dependencies of the package, the optional libraries for
 * databases, mail, SFTP and sign-in, and the dependencies of those. An optional library that is not installed is left
 * out.
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

/** Where Node finds a library: in the folder of the package that needs it, or in one above. */
function placeOf({ packages }: Lock, name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (folder.endsWith("node_modules")) continue;
    const place = folder === "" || folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "" || folder === ".") return null;
  }
}
