import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { heldByFileModes } from "../../../test/support/adapter/held-by-file-modes.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import { openSqliteJournal } from "../../journal/sqlite/open-sqlite-journal.ts";
import { restore } from "./restore-backup.ts";
import { backUp } from "./write-backup.ts";

async function folders() {
  const folder = temporaryFolder();
  const [data, saved] = [join(folder, "data"), join(folder, "saved")];
  mkdirSync(data);
  await (await openSqliteJournal({ databaseFile: join(data, "crossdock.db") })).close();
  cpSync(join(data, "crossdock.db"), join(data, "notes.db"));
  writeFileSync(join(data, "api-key"), "cd_kept\n");
  await backUp({ dataFolder: data, target: saved, now: 0 });
  return { folder, data, saved };
}

function crossdock(folder: string, ...argv: string[]) {
  const program = resolve(import.meta.dirname, "../../../bin/crossdock.js");
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: folder };
  const [file, args] = heldByFileModes(process.execPath, [program, ...argv]);
  return spawnSync(file, args, { cwd: folder, env, encoding: "utf8" });
}

const names = ["crossdock.db", "notes.db", "api-key"];

testIf(process.platform !== "win32")(
  "a restore names the file of the backup that this user may not read, and changes nothing",
  async () => {
    const { folder, data, saved } = await folders();
    const before = readdirSync(data);
    for (const name of [...names, "backup.json"]) {
      chmodSync(join(saved, name), 0o000);
      const { stderr, status } = crossdock(folder, "restore", "saved", "--yes");
      expect(stderr).toContain(`this user may not read ${join(saved, name)}`);
      expect(stderr).toMatch(/Next: .*let this user read it/);
      expect([status, readdirSync(data).toSorted()]).toEqual([1, before.toSorted()]);
      chmodSync(join(saved, name), 0o600);
    }
    expect(crossdock(folder, "restore", "saved", "--yes")).toMatchObject({ status: 0, stderr: "" });
  },
);

testIf(process.platform !== "win32")(
  "a backup names the file of the data folder that this user may not read",
  async () => {
    const { folder, data } = await folders();
    for (const name of ["notes.db", "api-key"]) {
      chmodSync(join(data, name), 0o000);
      const { stderr, status } = crossdock(folder, "backup", "other");
      expect(stderr).toContain(`this user may not read ${join(data, name)}`);
      expect([status, readdirSync(folder).filter((one) => one.startsWith("other"))]).toEqual([1, []]);
      chmodSync(join(data, name), 0o600);
    }
    expect(crossdock(folder, "backup", "other")).toMatchObject({ status: 0, stderr: "" });
  },
);

test("a file of a backup that cannot be read for another reason is named too", async () => {
  const { folder, saved } = await folders();
  const target = join(folder, "empty");
  const damaged = join(saved, "notes.db");
  rmSync(damaged);
  mkdirSync(damaged);
  await expect(restore(target, saved)).rejects.toThrow(damaged);
});
