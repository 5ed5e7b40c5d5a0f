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

/** Files that only readers and compilers use, and a running program does not. */
const leftOut =
  /(\.d\.[cm]?ts|\.map|\.md|\.markdown|\.tsbuildinfo)$|\/(test|tests|__tests__|docs|example|examples|\.github)$/i;

interface AssembleNeeds {
  readonly root: string;
  readonly out: string;
  readonly strip: boolean;
  /** Absent: the Node of this platform. */
  readonly node?: PackedNode;
}

/** The program Node for one platform, as it goes into the folder. */
export interface PackedNode {
  /** The name of its folder below node_modules. */
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  /** The path of the program. */
  readonly program: string;
}

/**
 * Makes a folder that runs without npm and without an installed Node: the built program, its libraries, and Node itself
 * for one platform. The layout is the same as after an installation by npm, so that one service unit fits both.
 */
export function assemble({ root, out, strip, node = installedNode(root) }: AssembleNeeds): void {
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
  writeFileSync(join(out, "sbom.cdx.json"), cycloneDx({ version, nodeVersion: node.version, components }));
  writeFileSync(join(out, "LICENSES.txt"), licencesText(components));
  placeNode({ root, out, strip, node });
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

/** Copies Node to the place where npm puts it, without headers and manuals, and writes the start script. */
export function placeNode({ root, out, strip, node }: Required<AssembleNeeds>): void {
  const { name, program, platform } = node;
  const isWindows = platform === "win32";
  const place = join(out, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(program, place);
  chmodSync(place, 0o755);
  // Debug symbols take a third of the file. If the tool is missing, the file only stays larger. On macOS it would break
  // the signature of the program, which the system then refuses to run.
  if (strip && platform === "linux") spawnSync("strip", [place], { stdio: "ignore" });
  // Some packages of Node have no licence inside; it is the same for all platforms.
  const licence = [program, installedNode(root).program]
    .map((path) => join(dirname(dirname(path)), "LICENSE"))
    .find((path) => existsSync(path));
  if (licence !== undefined) copyFileSync(licence, join(out, "node_modules", name, "LICENSE"));
  placeLauncher(out, name, isWindows);
}

/** The Node that npm installed for this platform, or else the one that runs. */
function installedNode(root: string): PackedNode {
  const { platform, arch } = process;
  // On Windows, npm writes a script at this place and not a link.
  const place = platform === "win32" ? `node_modules/node-win-${arch}/bin/node.exe` : "node_modules/.bin/node";
  const program = realpathSync(existsSync(join(root, place)) ? join(root, place) : process.execPath);
  const [, name = `node-${platform}-${arch}`] = /node_modules[/\\]([^/\\]+)/.exec(program) ?? [];
  return { name, version: process.versions.node, platform, arch, program };
}

/** Reads a package of Node for another platform, as npm unpacks it. */
export function nodeIn(folder: string): PackedNode {
  // The packages of Node in the registry have these members.
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly os: string | readonly [string];
    readonly cpu: string | readonly [string];
    readonly bin: { readonly node: string };
  };
  const { name, version, os, cpu, bin } = manifest;
  return {
    name,
    version,
    platform: [os].flat()[0] ?? "",
    arch: [cpu].flat()[0] ?? "",
    program: join(folder, bin.node),
  };
}

/** Writes the start script for people: `crossdock start` in the unpacked folder, or a link to it from anywhere. */
function placeLauncher(out: string, node: string, isWindows: boolean): void {
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
