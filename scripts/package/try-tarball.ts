import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm run test:tarball

Packs the package and installs it from the file alone, as users do: as a dependency of an ESM and of a CommonJS project, and globally.
Runs npx crossdock there, and looks for scripts of libraries. Needs the registry. Takes one to three minutes.`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "crossdock-tarball-"));
// Uses the Node of this run. Otherwise npm would take the one that is installed on the machine.
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` };

function run(command: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const shell = process.platform === "win32";
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, shell, ...options, encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return String(stdout).trim();
}

function check(what: string, isRight: boolean): void {
  console.log(`${isRight ? "✓" : "✗"} ${what}`);
  if (!isRight) process.exitCode = 1;
}

interface Installed {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean; readonly dev?: boolean }>>;
}

/** What npm 11 prints; older ones leave the member out. */
interface Summary {
  readonly unreviewedScripts?: readonly { readonly name: string }[];
}

try {
  const name = run("npm", ["pack", "--pack-destination", place], { cwd: root }).split("\n").at(-1) ?? "";
  const tarball = join(place, name);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  for (const [type, code] of [
    ["module", 'import { start } from "crossdock"; console.log(typeof start)'],
    ["commonjs", 'const { start } = require("crossdock"); console.log(typeof start)'],
  ] as const) {
    const folder = join(place, type);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "a-project", version: "1.0.0", type }));
    writeFileSync(join(folder, "main.js"), code);
    const options = ["--no-audit", "--no-fund", "--no-ignore-scripts", "--json"];
    // npm names packages whose scripts it would have run, also ours, which the lock file does not tell.
    const installed = JSON.parse(run("npm", ["install", tarball, ...options], { cwd: folder })) as Summary;
    const asked = (installed.unreviewedScripts ?? []).map(({ name: asking }) => asking);
    check(`npm asks about no script ${asked.join(" ")}`, asked.length === 0);
    check(`a project of type ${type} can use it`, run("node", ["main.js"], { cwd: folder }) === "function");
    check(`npx crossdock runs there`, run("npx", ["crossdock", "--version"], { cwd: folder }) === version);
    const help = run("npx", ["crossdock", "init", "--help"], { cwd: folder });
    check("its commands are inside", help.includes("crossdock"));
    // npm's own file.
    const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as Installed;
    const scripts = Object.entries(lock.packages).filter(([, one]) => one.hasInstallScript === true);
    check(
      `no library runs a script when it is installed ${scripts.map(([where]) => where).join(" ")}`,
      scripts.length === 0,
    );
    check("nothing of @scarf is installed", !existsSync(join(folder, "node_modules/@scarf")));
    for (const file of [
      "dist/console/index.html",
      "dist/swagger-ui/LICENSE",
      "docs/README.md",
      "docs/reference/crossdock.schema.json",
    ]) {
      check(`${file} is inside`, existsSync(join(folder, "node_modules/crossdock", file)));
    }
  }
  const prefix = join(place, "global");
  run("npm", ["install", "--global", "--prefix", prefix, tarball, "--no-audit", "--no-fund"]);
  const program = process.platform === "win32" ? join(prefix, "crossdock.cmd") : join(prefix, "bin/crossdock");
  check("it can be installed globally", run(program, ["--version"]) === version);
} finally {
  rmSync(place, { recursive: true, force: true });
}
