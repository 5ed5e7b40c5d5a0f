import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { help: { type: "boolean", short: "h" } },
  allowPositionals: true,
});
if (values.help) {
  console.log(`npm run test:postgres -- [FILE ...]

Plays every test that starts an adapter once more, on adapters whose data is in a PostgreSQL of this run. With FILE,
only the tests whose path contains one of them.`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
/** Tests that do not run on PostgreSQL, each with its reason. Most are about a data folder as the only copy. */
const exceptions: Readonly<Record<string, string>> = {
  "test/reliability/data-folder/every-file-every-damage.test.ts":
    "damages the only copy of the data; a copy has no mark",
  "test/reliability/damaged-while-running.test.ts": "damages the only copy of the data; a copy is built again instead",
  "test/replication/": "starts its own processes",
  "test/reliability/backup.test.ts": "restores a folder, which PostgreSQL would bring up to date again",
  "test/input/stored-beyond-limits.test.ts": "writes into the database of a folder, which PostgreSQL would replace",
  "src/cli/commands/quarantine.test.ts": "writes into a side file of a folder, which PostgreSQL would replace",
  "src/runtime/check/deployment-warnings.test.ts":
    "expects no warning; the server of the tests runs without syncs and causes one",
};

const files = ["src", "test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  )
  .filter((path) => path.endsWith(".test.ts"))
  .filter((path) => readFileSync(join(root, path), "utf8").includes("support/adapter/adapter.ts"))
  .filter((path) => !Object.keys(exceptions).some((start) => path.startsWith(start)))
  .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)));

const { status } = spawnSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, CROSSDOCK_TEST_STORE: "postgres", CROSSDOCK_REQUIRE_PEERS: "1" },
});
process.exitCode = status ?? 1;
