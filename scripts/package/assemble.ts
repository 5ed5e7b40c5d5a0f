import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { componentsOf, cycloneDx, licencesText } from "./bill-of-materials.ts";
import { type Lock, productionModules } from "./production-modules.ts";
import { vendorSwaggerUi } from "./vendor-swagger-ui.ts";

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
  const own = [...manifest.files, "LICENSE", "README.md", "SECURITY.md"].filter((file) => file !== "dist");
  for (const file of own.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    cpSync(join(root, file), join(out, file), { recursive: true });
  }
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
  placeLauncher(out);
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
      const inside = path.slice(from.length);
      // Nested libraries are listed separately.
      if (inside.includes("/node_modules")) return false;
      return !leftOut.test(inside) || /license|notice/i.test(basename(path));
    },
  });
}

/** Copies Node to the place where npm puts it, without headers and manuals. */
function placeNode(root: string, out: string, strip: boolean): void {
  const link = join(root, "node_modules/.bin/node");
  const program = realpathSync(existsSync(link) ? link : process.execPath);
  const [, name = `node-${process.platform}-${process.arch}`] = /node_modules\/([^/]+)\//.exec(program) ?? [];
  const place = join(out, "node_modules", name, "bin/node");
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(program, place);
  chmodSync(place, 0o755);
  // Debug symbols take a third of the file. If the tool is missing, the file only stays larger.
  if (strip) spawnSync("strip", [place], { stdio: "ignore" });
  const licence = join(dirname(dirname(program)), "LICENSE");
  if (existsSync(licence)) copyFileSync(licence, join(out, "node_modules", name, "LICENSE"));
  mkdirSync(join(out, "node_modules/.bin"), { recursive: true });
  symlinkSync(`../${name}/bin/node`, join(out, "node_modules/.bin/node"));
}

/** Writes the start script for people: `./crossdock start` in the unpacked folder, or a link to it from anywhere. */
function placeLauncher(out: string): void {
  const text = `#!/bin/sh
# Follows links, so that /usr/bin/crossdock may be one.
here=$(dirname "$(readlink -f "$0")")
exec "$here/node_modules/.bin/node" "$here/bin/crossdock.js" "$@"
`;
  writeFileSync(join(out, "crossdock"), text);
  chmodSync(join(out, "crossdock"), 0o755);
}
