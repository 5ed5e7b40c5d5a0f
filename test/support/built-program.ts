import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/crossdock");
const standby = "chaos/harness/service/standby-process";
const unusedForMs = 3_600_000;

let built: string | undefined;

/**
 * The program as in the package, built from the current sources. It starts with two thirds of the processor time that
 * the sources need. Tests that start many processes use it, and so run what users run.
 */
export const builtProgram = (): string => join(builtFolder(), "bin/crossdock.js");

/** For a process that does not inherit all variables: without it, each start would compile the program anew. */
export const compiled = (): Readonly<Record<string, string>> => ({
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? cache,
});

/** The same, loaded and waiting for a line on its input. */
export const builtStandby = (): string => join(builtFolder(), "dist", `${standby}.js`);

/** `dist` stands in it. */
export function builtFolder(): string {
  built ??= makeFolder();
  return built;
}

/**
 * The name of the folder is a hash of the sources, so that one build serves all test files and is never used for other
 * sources.
 */
function makeFolder(): string {
  const stamp = createHash("sha256");
  const sources = globSync(
    [
      ...["src/**/*.ts", "bin/*", "scripts/**/bundle-program.ts", `${standby}.ts`, "package-lock.json"],
      // Names the files of the built console by their content.
      "dist/console/index.html",
    ],
    {
      cwd: root,
    },
  ).sort();
  for (const path of sources) {
    const { mtimeMs, size } = statSync(join(root, path));
    stamp.update(`${path} ${mtimeMs} ${size}\n`);
  }
  const folder = join(cache, `program-${stamp.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) {
    // Another run must not take it for an old one.
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache).filter((one) => one.startsWith("program-"))) {
    const other = join(cache, name);
    // Another run of this checkout may still use it.
    const usedAt = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedAt > unusedForMs) rmSync(other, { recursive: true, force: true });
  }
  const making = `${folder}.${process.pid}-${Math.trunc(performance.now())}`;
  const out = join(making, "dist");
  execFileSync(process.execPath, [join(root, "scripts/build-program.ts"), "--out", out, "--also", `${standby}.ts`], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const path of ["bin", "assets", "package.json", "docs/reference/crossdock.schema.json", "dist/console"]) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(making, path), { recursive: true });
  }
  try {
    renameSync(making, folder);
    // Compiled once for all processes: killed processes do not store what they compiled.
    execFileSync(process.execPath, [join(folder, "dist", `${standby}.js`)], {
      ...{ input: "", env: { ...process.env, NODE_COMPILE_CACHE: cache } },
    });
  } catch (error) {
    // Another thread has finished first.
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
