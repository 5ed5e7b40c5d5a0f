import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { heldByFileModes } from "../../test/support/adapter/held-by-file-modes.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { hasFileModes } from "../../test/support/test-if.ts";
import { migrate } from "../journal/sqlite/migrations.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { noAdapter } from "./find-adapter.ts";
import { main } from "./main.ts";

async function run(argv: readonly string[], cwd: string) {
  const errors: string[] = [];
  const code = await main(argv, {
    ...{ print: () => {}, complain: (text) => void errors.push(text), isInteractive: false, colour: false },
    ...{ env: {}, cwd, untilStopped: () => new Promise<never>(() => {}) },
  });
  return { code, errors: errors.join("\n") };
}

const reading = [
  ["journal", "list"],
  ["journal", "show", "1"],
  ["journal", "timeline", "SO-1"],
  ["journal", "explain", "SO-1"],
  ["backup", "saved"],
];

test.each(reading)(
  "after a first start that was interrupted, %s %s says that there is no data yet",
  async (...argv) => {
    for (const tables of [0, 3, 9]) {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "data"));
      const database = openDatabase(join(folder, "data/crossdock.db"));
      migrate(database, tables);
      database.close();
      const { code, errors } = await run(argv, folder);
      expect(code).toBe(1);
      expect(errors).toContain("and it has no data yet");
      expect(errors).toMatch(/Next: .*crossdock start/);
    }
  },
);

test("where a service has its data elsewhere, its folder is named instead of a second adapter being started", () => {
  const service = temporaryFolder();
  expect(noAdapter("/srv/data", service).next).toMatch(`name the folder of the service with --data ${service}`);
  for (const other of [null, join(service, "none"), "/srv/data"]) {
    expect(noAdapter("/srv/data", other).next).toMatch("start it with: crossdock start");
  }
});

const asking = hasFileModes ? ["journal list", "status"] : [];

test.each(asking)("%s says that this user may not read a data folder, and who may", (command) => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  mkdirSync(data);
  writeFileSync(join(data, "adapter.json"), "{}");
  chmodSync(data, 0o000);
  onTestFinished(() => chmodSync(data, 0o700));
  const program = resolve(import.meta.dirname, "../../bin/crossdock.js");
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: folder };
  const [file, args] = heldByFileModes(process.execPath, [program, ...command.split(" ")]);
  const { status, stderr } = spawnSync(file, args, { cwd: folder, env, encoding: "utf8" });
  expect(stderr).toContain("this user may not read");
  expect(stderr).toContain(`sudo -u crossdock crossdock status --data ${data}`);
  expect(status).toBe(1);
});
