import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { assemble } from "./assemble.ts";
import { debianPackage } from "./debian-package.ts";

const help = `npm run package -- [options]

Makes packages that bring their own Node, for this platform, from what npm ci installed. Nothing is loaded from the network.

  --out FOLDER  where they go (build)
  --folder      only the folder: FOLDER/crossdock, for the container image
  --no-strip    keep the names for debuggers in Node

Without --folder: also crossdock-VERSION-PLATFORM.tar.gz, on Debian crossdock_VERSION_ARCHITECTURE.deb,
a bill of materials (CycloneDX), and SHA256SUMS.`;

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "build" },
    folder: { type: "boolean", default: false },
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
const assembled = join(out, "crossdock");
mkdirSync(out, { recursive: true });
assemble({ root, out: assembled, strip: !values["no-strip"] });
console.log(assembled);
if (!values.folder) {
  const archive = join(out, `crossdock-${version}-${process.platform}-${process.arch}.tar.gz`);
  rmSync(archive, { force: true });
  const owner = process.platform === "linux" ? ["--owner=0", "--group=0", "--sort=name"] : [];
  run("tar", [...owner, "-czf", archive, "-C", out, "crossdock"]);
  const bill = join(out, `crossdock-${version}.cdx.json`);
  copyFileSync(join(assembled, "sbom.cdx.json"), bill);
  const made = [archive, bill];
  if (spawnSync("dpkg-deb", ["--version"]).status === 0)
    made.push(debianPackage({ assembled, out, version, compression: "xz" }));
  const sums = made.map(
    (file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`,
  );
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  for (const file of [...made, join(out, "SHA256SUMS")]) console.log(file);
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")} failed`);
}
