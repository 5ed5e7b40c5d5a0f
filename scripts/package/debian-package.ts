import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeReadable } from "./assemble.ts";

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

export interface DebianPackageNeeds {
  readonly assembled: string;
  readonly out: string;
  readonly version: string;
  /** `xz` makes the smallest package but takes a minute; `gzip` is for trying it out. */
  readonly compression: "xz" | "gzip";
}

/**
 * Makes a `.deb` from an assembled folder: program, units, a user, folders. Needs dpkg-deb. Returns the path of the
 * package.
 */
export function debianPackage({ assembled, out, version, compression }: DebianPackageNeeds): string {
  const architecture = architectures[process.arch] ?? process.arch;
  const stage = join(out, "deb");
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, "opt"), { recursive: true });
  cpSync(assembled, join(stage, "opt/crossdock"), { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(stage, "usr/bin"), { recursive: true });
  symlinkSync("/opt/crossdock/crossdock", join(stage, "usr/bin/crossdock"));
  mkdirSync(join(stage, "lib/systemd/system"), { recursive: true });
  for (const unit of ["crossdock.service", "crossdock.socket"]) {
    cpSync(join(assembled, "deploy/systemd", unit), join(stage, "lib/systemd/system", unit));
  }
  // Only the folder: postinst writes what is missing in it.
  mkdirSync(join(stage, "etc/crossdock"), { recursive: true });
  writeControl(stage, { version, architecture, installedBytes: bytesIn(stage) });
  makeReadable(stage);
  const file = join(out, `crossdock_${version}_${architecture}.deb`);
  const args = ["--root-owner-group", `-Z${compression}`, ...(compression === "gzip" ? ["-z1"] : [])];
  const made = spawnSync("dpkg-deb", [...args, "--build", stage, file], { encoding: "utf8" });
  rmSync(stage, { recursive: true, force: true });
  if (made.status !== 0) throw new Error(`dpkg-deb failed: ${made.stderr || String(made.error)}`);
  return file;
}

/** The size of all files in whole KiB each, as the policy of Debian counts it. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + Math.ceil(lstatSync(join(parentPath, name)).size / 1024) * 1024, 0);
}

interface Control {
  readonly version: string;
  readonly architecture: string;
  readonly installedBytes: number;
}

function writeControl(stage: string, { version, architecture, installedBytes }: Control): void {
  const folder = join(stage, "DEBIAN");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "control"),
    `Package: crossdock
Version: ${version}
Architecture: ${architecture}
Installed-Size: ${Math.ceil(installedBytes / 1024)}
Maintainer: The Crossdock authors
Depends: libc6 (>= 2.28), libstdc++6, adduser
Recommends: systemd, ca-certificates, tzdata
Section: net
Priority: optional
Homepage: https://github.com/crossdock/crossdock
Description: adapter between a warehouse-management platform and an ERP
 Serves work orders and items to the platform, and delivers every event of the
 floor to the ERP, in order and at least once. Brings its own Node.
`,
  );
  const script = (name: string) => {
    writeFileSync(join(folder, name), readFileSync(join(stage, "opt/crossdock/deploy/debian", name)));
    chmodSync(join(folder, name), 0o755);
  };
  for (const name of ["postinst", "prerm", "postrm"]) script(name);
}
