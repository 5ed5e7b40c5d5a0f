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
    expect(servicePlan({ ...place, program: path }).hidden?.path).toBe(path);
    expect(servicePlan({ ...place, dataFolder: path }).hidden?.path).toBe(path);
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

const onWindows: ServicePlace = {
  ...{ platform: "win32", unit, node: "C:\\Program Files\\Crossdock\\node.exe" },
  ...{ program: "C:\\Program Files\\Crossdock", config: "C:\\ProgramData\\Crossdock\\crossdock.yaml" },
  dataFolder: "C:\\ProgramData\\Crossdock\\data",
};

test("on Windows a path in somebody's own folder is named: the account of the service may not read it", () => {
  expect(servicePlan(onWindows).hidden).toBe(null);
  expect(servicePlan({ ...onWindows, program: "D:\\Users on duty\\crossdock" }).hidden).toBe(null);
  const program = "c:\\users\\Jo Doe\\crossdock";
  expect(servicePlan({ ...onWindows, program }).hidden).toMatchObject({
    path: program,
    instead: expect.stringContaining("C:\\Program Files"),
  });
});

test("on Windows the task is started again after any end, and its file has the encoding that it names", () => {
  const [file] = servicePlan(onWindows).files;
  const text = file?.text ?? "";
  expect([file?.encoding, text.startsWith('\ufeff<?xml version="1.0" encoding="UTF-16"?>')]).toEqual(["utf16le", true]);
  for (const trigger of ["RegistrationTrigger", "BootTrigger"]) {
    expect(text).toMatch(new RegExp(`<${trigger}><Repetition><Interval>PT1M</Interval>`));
  }
  expect(text).toContain("<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>");
  // Without it Windows would give processor and disk to everything else first.
  expect(text).toContain("<Priority>5</Priority>");
});

test("on Windows only the account of the service, the system and administrators may look into the data folder", () => {
  const [rights = []] = servicePlan(onWindows).after;
  expect(rights.slice(0, 4)).toEqual(["icacls", onWindows.dataFolder, "/inheritance:r", "/grant:r"]);
  const accounts = rights.slice(4).map((one) => one.split(":")[0]);
  expect(accounts).toEqual(["*S-1-5-19", "*S-1-5-18", "*S-1-5-32-544"]);
});
