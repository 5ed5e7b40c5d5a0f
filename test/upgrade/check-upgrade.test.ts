import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { restore } from "../../src/app/backup/restore-backup.ts";
import { checkUpgrade, type UpgradeReport } from "../../src/app/upgrade/check-upgrade.ts";
import { versionInfo } from "../../src/app/version-info.ts";
import { main } from "../../src/cli/main.ts";
import { openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { workOrder } from "../support/floor/embedded-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function run(cwd: string, ...argv: string[]) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const terminal = {
    print,
    complain: print,
    isInteractive: false,
    colour: false,
    env: {},
    cwd,
    untilStopped: async () => "",
  };
  const code = await main(["upgrade", ...argv], terminal);
  return { code, text: printed.join("\n") };
}
const checked = async (cwd: string) => {
  const { code, text } = await run(cwd, "--check", "--json");
  // The program prints its own report.
  return { code, report: JSON.parse(text) as UpgradeReport };
};

/** A stopped adapter's folder with an order in it. */
async function usedFolder() {
  const folder = temporaryFolder();
  const adapter = await startAdapter({ folder });
  await adapter.client.push.workOrders([workOrder({ number: "W-1" })]);
  await adapter.close();
  return { folder, dataFolder: join(folder, "data") };
}

function setTables(dataFolder: string, version: number) {
  const database = openDatabase(join(dataFolder, "crossdock.db"));
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

test("the same version on its own folder has nothing to do", async () => {
  const { folder } = await usedFolder();
  const { code, report } = await checked(folder);
  expect(code).toBe(0);
  expect(report).toMatchObject({
    before: versionInfo().version,
    kind: "none",
    obstacles: [],
    data: { aboutSeconds: null },
  });
  expect(report.data.bytes).toBeGreaterThan(0);
  expect((await run(folder, "--check")).text).toContain("Nothing stands against it.");
});

test("older tables are named with their steps, the time and the space they need; nothing is changed", async () => {
  const { folder, dataFolder } = await usedFolder();
  setTables(dataFolder, 1);
  writeFileSync(join(dataFolder, "last-version"), "0.0.9\n");
  const before = readFileSync(join(dataFolder, "crossdock.db"));
  const { code, report } = await checked(folder);
  expect(code).toBe(0);
  expect(report).toMatchObject({ before: "0.0.9", kind: "minor" });
  expect(report.data.tables[0]).toMatchObject({ part: "journal", found: 1 });
  expect(report.data.aboutSeconds).toBeGreaterThan(0);
  expect(report.data.neededBytes).toBeGreaterThan(2 * report.data.bytes);
  expect(readFileSync(join(dataFolder, "crossdock.db")).equals(before)).toBe(true);
});

test("a folder of a newer version stands against it", async () => {
  const { folder, dataFolder } = await usedFolder();
  setTables(dataFolder, 1_000);
  writeFileSync(join(dataFolder, "last-version"), "99.0.0\n");
  const { code, report } = await checked(folder);
  expect(code).toBe(1);
  expect(report.kind).toBe("older");
  expect(report.obstacles.join()).toMatch(/newer version/);
});

test("the way back is free within a minor version, and needs the backup across one, until it is restored", async () => {
  const { folder, dataFolder } = await usedFolder();
  const [major = 0, minor = 0] = versionInfo().version.split(".").map(Number);
  const openedBy = (version: string) => writeFileSync(join(dataFolder, "last-version"), `${version}\n`);
  expect((await run(folder, "--backup", join(folder, "before"))).code).toBe(0);
  openedBy(`${major}.${minor}.99`);
  expect(await checked(folder)).toMatchObject({ code: 0, report: { kind: "back", obstacles: [] } });
  openedBy(`${major}.${minor + 1}.0`);
  const across = await checked(folder);
  expect(across).toMatchObject({ code: 1, report: { kind: "older" } });
  expect(across.report.obstacles).toEqual([expect.stringContaining("crossdock restore")]);
  await restore(dataFolder, join(folder, "before"));
  expect(await checked(folder)).toMatchObject({ code: 0, report: { kind: "unknown", obstacles: [] } });
});

test("old spellings are named with their line and the new one; other errors of the file as at a start", async () => {
  const { folder } = await usedFolder();
  writeFileSync(join(folder, "crossdock.yaml"), "timeZone: UTC\norders:\n  invalid: refuse\n");
  const old = await checked(folder);
  expect(old.code).toBe(1);
  expect(old.report.configuration.oldSpellings).toMatchObject([{ path: "orders.invalid", line: 3 }]);
  expect((await run(folder, "--check")).text).toContain("crossdock config upgrade");
  writeFileSync(join(folder, "crossdock.yaml"), "timeZone: Nowhere\n");
  const wrong = await checked(folder);
  expect(wrong.report.obstacles.join()).toContain("timeZone");
});

test("missing secrets do not stand against it: they are not there for whoever prepares an upgrade", async () => {
  const { folder } = await usedFolder();
  writeFileSync(join(folder, "crossdock.yaml"), `console: { users: { Jo: { apiKey: "$\{JO_KEY}", role: viewer } } }\n`);
  expect((await checked(folder)).report.obstacles).toEqual([]);
});

test("a backup is written before the upgrade, and leads back", async () => {
  const { folder, dataFolder } = await usedFolder();
  const target = join(folder, "before");
  const { code, text } = await run(folder, "--backup", target);
  expect(code).toBe(0);
  expect(text).toContain("Backup: ");
  expect(readdirSync(target)).toContain("backup.json");
  expect((await run(folder, "--backup", target)).code).toBe(1);
  setTables(dataFolder, 1_000);
  const terminal = {
    print: () => {},
    complain: () => {},
    isInteractive: false,
    colour: false,
    env: {},
    cwd: folder,
    untilStopped: async () => "",
  };
  expect(await main(["restore", target, "--yes"], terminal)).toBe(0);
  const adapter = await startAdapter({ folder });
  const { data } = await adapter.client.listWorkOrders();
  expect(data?.map(({ number }) => number)).toEqual(["W-1"]);
});

test("no backup is written while something stands against the upgrade", async () => {
  const { folder, dataFolder } = await usedFolder();
  setTables(dataFolder, 1_000);
  const { code } = await run(folder, "--backup", join(folder, "before"));
  expect(code).toBe(1);
  expect(existsSync(join(folder, "before"))).toBe(false);
});

test("a backup on another disk needs no space beside the data", async () => {
  const { dataFolder } = await usedFolder();
  const mib = 2 ** 20;
  const check = (backup: string | undefined, freeBytes: Readonly<Record<string, number>>) =>
    checkUpgrade({
      ...{ version: versionInfo().version, dataFolder, backup },
      configuration: { file: null, oldSpellings: [], errors: [] },
      diskOf: (path) =>
        path === "/other/before"
          ? { device: 2, freeBytes: freeBytes["other"] ?? 0 }
          : { device: 1, freeBytes: freeBytes["own"] ?? 0 },
    });
  const { bytes, neededBytes } = check(undefined, { own: 100 * mib }).data;
  expect(neededBytes).toBe(bytes + 64 * mib);
  // One byte too few for a backup beside the data.
  const own = neededBytes - 1;
  for (const near of [undefined, "/same/before"]) {
    expect(check(near, { own, other: own }).obstacles).toEqual([expect.stringContaining("on another disk")]);
  }
  expect(check("/other/before", { own, other: neededBytes }).obstacles).toEqual([]);
  expect(check("/other/before", { own, other: own }).obstacles).toEqual([expect.stringContaining("for the backup")]);
});
