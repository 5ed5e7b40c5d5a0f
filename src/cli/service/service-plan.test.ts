import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { missingProgram } from "../../../chaos/harness/disks/tools.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type ServicePlace, servicePlan } from "./service-plan.ts";

const unit = readFileSync(resolve(import.meta.dirname, "../../../deploy/systemd/crossdock.service"), "utf8");
const place: ServicePlace = {
  platform: "linux",
  node: "/bin/true",
  program: "/srv/100% cross dock",
  config: "/etc/crossdock/crossdock.yaml",
  dataFolder: "/srv/data & more",
  unit,
};

test("on Linux the unit that comes with the program is installed, with the paths of this installation", ({ skip }) => {
  const { files, after } = servicePlan(place);
  const text = files[0]?.text ?? "";
  expect(text).toContain('ExecStart="/bin/true" --max-semi-space-size=16 bin/crossdock.js start');
  expect(text).toContain("WorkingDirectory=/srv/100%% cross dock");
  expect(text).toContain('ReadWritePaths="/srv/data & more"');
  expect(text).not.toContain("/opt/crossdock");
  expect(files[1]).toMatchObject({ path: place.config, isKept: true });
  expect(after.at(-1)).toEqual(["systemctl", "restart", "crossdock"]);
  const missing = missingProgram({ "systemd-analyze": "systemd" });
  skip(missing !== null, missing ?? "");
  const file = join(temporaryFolder(), "crossdock.service");
  writeFileSync(file, text);
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("crossdock"))).toEqual([]);
  expect(spawnSync("systemd-analyze", ["security", "--offline=yes", "--threshold=20", file]).status).toBe(0);
});

test("on Linux a path that the unit hides from the service is named before anything is installed", () => {
  expect(servicePlan(place).hidden).toBe(null);
  for (const path of ["home/jo", "root", "tmp", "var/tmp"].map((folder) => `/${folder}/crossdock`)) {
    expect(servicePlan({ ...place, program: path }).hidden).toBe(path);
    expect(servicePlan({ ...place, dataFolder: path }).hidden).toBe(path);
  }
  for (const setting of ["ProtectHome=true", "PrivateTmp=true"]) expect(unit).toContain(setting);
});

test("at the usual place the unit is the one of the documentation, but for the path of Node", () => {
  const [file] = servicePlan({ ...place, program: "/opt/crossdock", dataFolder: "/var/lib/crossdock" }).files;
  const lines = (text = "") => text.replaceAll('"', "").split("\n");
  const changed = lines(file?.text).filter((line) => !lines(unit).includes(line));
  expect(changed).toEqual(["ExecStart=/bin/true --max-semi-space-size=16 bin/crossdock.js start"]);
});

test.each(["darwin", "win32"] as const)(
  "on %s the description is well-formed, names the paths, and can be taken away",
  (platform) => {
    const { files, removal, after, ending } = servicePlan({ ...place, platform });
    const [{ path, text } = { path: "", text: "" }] = files;
    expect(text).toContain("/srv/100% cross dock");
    expect(text).toContain("/srv/data &amp; more");
    const opened = [...text.matchAll(/<(\w+)(?=[\s>])[^>]*(?<!\/)>/g)].map(([, name]) => name);
    const closed = [...text.matchAll(/<\/(\w+)>/g)].map(([, name]) => name);
    expect(opened.toSorted()).toEqual(closed.toSorted());
    expect(after.flat()).toContain(path);
    expect(removal.length).toBeGreaterThan(1);
    // Otherwise an earlier version would go on, or the new one would be refused.
    expect(ending).toEqual([removal[0]]);
  },
);
