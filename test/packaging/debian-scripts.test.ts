import { spawnSync } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { missingProgram } from "../../chaos/harness/disks/tools.ts";
import { emptyConfigText } from "../../src/cli/service/service-plan.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

/** A root of a machine, and the scripts of the package for Debian in it. */
function maintainerScripts() {
  const folder = temporaryFolder();
  const units = join(folder, "lib/systemd/system");
  mkdirSync(units, { recursive: true });
  cpSync(join(root, "deploy/systemd/crossdock.service"), join(units, "crossdock.service"));
  // Stand for programs that would change this machine; all others are the real ones.
  const bin = join(folder, "stand-ins");
  mkdirSync(bin);
  for (const name of ["getent", "adduser", "install", "systemctl", "deb-systemd-invoke", "rm"]) {
    writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  }
  const env = { PATH: `${bin}:${process.env["PATH"]}`, DPKG_ROOT: folder, DPKG_MAINTSCRIPT_PACKAGE: "crossdock" };
  const run = (script: string, ...args: string[]) =>
    spawnSync("sh", [join(root, "deploy/debian", script), ...args], { env, encoding: "utf8" });
  return { folder, run };
}

test("a first installation enables the service, also in an image, and an upgrade leaves a disabled one disabled", ({
  skip,
}) => {
  const missing = missingProgram({ "deb-systemd-helper": "init-system-helpers" });
  skip(missing !== null, missing ?? "");
  const { folder, run } = maintainerScripts();
  const link = join(folder, "etc/systemd/system/multi-user.target.wants/crossdock.service");
  const isEnabled = () => lstatSync(link, { throwIfNoEntry: false }) !== undefined;
  run("postinst", "configure");
  expect(isEnabled()).toBe(true);
  // As `systemctl disable` does.
  unlinkSync(link);
  run("postinst", "configure", "0.1.0");
  expect(isEnabled()).toBe(false);
  run("postrm", "purge");
  run("postinst", "configure");
  expect(isEnabled()).toBe(true);
});

test("the package for Debian writes a configuration only where there is none, and names a unit that hides its own", ({
  skip,
}) => {
  const missing = missingProgram({ "deb-systemd-helper": "init-system-helpers" });
  skip(missing !== null, missing ?? "");
  const { folder, run } = maintainerScripts();
  const [settings, environment] = ["crossdock.yaml", "environment"].map((name) => join(folder, "etc/crossdock", name));
  expect(run("postinst", "configure")).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(settings ?? "", "utf8")).toBe(emptyConfigText("/opt/crossdock"));
  // Keys and passwords may be put there.
  expect(statSync(environment ?? "").mode & 0o777).toBe(0o600);
  for (const file of [settings, environment]) writeFileSync(file ?? "", "mine");
  // As `crossdock service install` of an archive leaves it.
  const unit = join(folder, "etc/systemd/system/crossdock.service");
  writeFileSync(unit, "[Service]");
  expect(run("postinst", "configure", "0.1.0")).toMatchObject({ status: 0, stderr: expect.stringContaining(unit) });
  for (const file of [settings, environment]) expect(readFileSync(file ?? "", "utf8")).toBe("mine");
});
