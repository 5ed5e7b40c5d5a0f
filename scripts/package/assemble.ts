import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { componentsOf, cycloneDx, licencesText } from "./bill-of-materials.ts";
import { type Lock, productionModules } from "./production-modules.ts";
import { vendorSwaggerUi } from "./vendor-swagger-ui.ts";

const isWindows = process.platform === "win32";
/** Files that only readers and compilers use, and a running program does not. */
const leftOut =
  /(\.d\.[cm]?ts|\.map|\.md|\.markdown|\.tsbuildinfo)$|\/(test|tests|__tests__|docs|example|examples|\.github)$/i;

/**
 * Makes a folder that runs without npm and without an installed Node: the built program, its libraries, and Node itself
 * for this platform. The layout is the same as after an installation by npm, so that one service unit fits both.
 */
export function assemble({ root, out, strip }: { root: string; out: string; strip: boolean }): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  build(root, join(out, "dist"));
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[]; version: string };
  copyOwnFiles(root, out, [...manifest.files, "LICENSE", "README.md", "SECURITY.md"]);
  const { scripts: _, devDependencies: __, ...kept } = manifest as unknown as Record<string, unknown>;
  writeFileSync(join(out, "package.json"), `${JSON.stringify(kept, null, 2)}\n`);
  // The form of npm's own file.
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  for (const place of productionModules(lock, root)) copyModule(join(root, place), join(out, place));
  const components = componentsOf(lock, root);
  const { version } = manifest;
  writeFileSync(join(out, "sbom.cdx.json"), cycloneDx({ version, nodeVersion: process.versions.node, components }));
  writeFileSync(join(out, "LICENSES.txt"), licencesText(components));
  placeNode(root, out, strip);
  makeReadable(out);
}

/** Copies files of this repository by the patterns of `package.json`, as npm does: a `!` excludes what it names. */
export function copyOwnFiles(root: string, out: string, patterns: readonly string[]): void {
  const excluded = patterns.filter((one) => one.startsWith("!")).map((one) => join(root, one.slice(1)));
  const included = patterns.filter((one) => !one.startsWith("!") && one !== "dist");
  for (const file of included.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    cpSync(join(root, file), join(out, file), { recursive: true, filter: (path) => !excluded.includes(path) });
  }
}

/**
 * Lets every user read a folder and run its programs: the service has a user of its own. Without this, the packages of
 * somebody whose umask is 027 or 077 would start nowhere.
 */
export function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function build(root: string, dist: string): void {
  const run = (...args: string[]) => {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
    if (status !== 0) throw new Error(`node ${args.join(" ")} failed`);
  };
  run("scripts/build-program.ts", "--out", dist);
  vendorSwaggerUi(root, dist);
  run("scripts/build-console.ts", "--if-needed");
  cpSync(join(root, "dist/console"), join(dist, "console"), { recursive: true });
}

function copyModule(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => {
      const inside = path.slice(from.length).replaceAll(sep, "/");
      // Nested libraries are listed separately.
      if (inside.includes("/node_modules")) return false;
      return !leftOut.test(inside) || /license|notice/i.test(basename(path));
    },
  });
}

/** Copies Node to the place where npm puts it, without headers and manuals. */
function placeNode(root: string, out: string, strip: boolean): void {
  const program = nodeProgram(root);
  const [, name = `node-${process.platform}-${process.arch}`] = /node_modules[/\\]([^/\\]+)/.exec(program) ?? [];
  const place = join(out, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(program, place);
  chmodSync(place, 0o755);
  // Debug symbols take a third of the file. If the tool is missing, the file only stays larger.
  if (strip) spawnSync("strip", [place], { stdio: "ignore" });
  const licence = join(dirname(dirname(program)), "LICENSE");
  if (existsSync(licence)) copyFileSync(licence, join(out, "node_modules", name, "LICENSE"));
  placeLauncher(out, name);
}

/** The Node that npm installed for this platform, or else the one that runs. */
function nodeProgram(root: string): string {
  // On Windows, npm writes a script at this place and not a link.
  const place = isWindows ? `node_modules/node-win-${process.arch}/bin/node.exe` : "node_modules/.bin/node";
  return realpathSync(existsSync(join(root, place)) ? join(root, place) : process.execPath);
}

/** Writes the start script for people: `crossdock start` in the unpacked folder, or a link to it from anywhere. */
function placeLauncher(out: string, node: string): void {
  if (isWindows) {
    const text = `@"%~dp0node_modules\\${node}\\bin\\node.exe" "%~dp0bin\\crossdock.js" %*\r\n`;
    writeFileSync(join(out, "crossdock.cmd"), text);
    return;
  }
  mkdirSync(join(out, "node_modules/.bin"), { recursive: true });
  symlinkSync(`../${node}/bin/node`, join(out, "node_modules/.bin/node"));
  const text = `#!/bin/sh
# Follows links, so that /usr/bin/crossdock may be one.
here=$(dirname "$(readlink -f "$0")")
exec "$here/node_modules/.bin/node" "$here/bin/crossdock.js" "$@"
`;
  writeFileSync(join(out, "crossdock"), text, { mode: 0o755 });
}
