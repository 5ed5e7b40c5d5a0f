import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { judgeSkips, type SkipRules } from "./judge-skips.ts";
import { forbiddenSkipsVariable } from "./skip-reporter.ts";

const root = resolve(import.meta.dirname, "../../..");
const rules: SkipRules = {
  isComplete: true,
  allowed: [],
  rights: ["loop-mounts", "tracing"],
  missingRight: (right) => (right === "loop-mounts" ? "loop-mounts: not permitted" : null),
};
const cut = { name: "chaos, power-cut-xfs", reason: "loop-mounts: not permitted" };
const strace = { name: "chaos, failing-sync", reason: "strace is missing (apt-get install strace)" };

test("where nothing may be skipped, a skipped test fails the run with its name and reason", () => {
  expect(judgeSkips([cut, strace], rules)).toEqual([
    "skipped, although nothing may be: chaos, power-cut-xfs: loop-mounts: not permitted",
    "skipped, although nothing may be: chaos, failing-sync: strace is missing (apt-get install strace)",
  ]);
  expect(judgeSkips([cut, strace], { ...rules, isComplete: false })).toEqual([]);
});

test("a right that the machine refuses can be allowed by name, and a missing program cannot", () => {
  expect(judgeSkips([cut], { ...rules, allowed: ["loop-mounts"] })).toEqual([]);
  expect(judgeSkips([strace], { ...rules, allowed: ["strace"] })).toEqual([
    expect.stringContaining("chaos, failing-sync"),
    "CROSSDOCK_ALLOWED_SKIPS names strace, which is none of loop-mounts, tracing",
  ]);
});

test("an allowance that is no longer needed fails the run", () => {
  expect(judgeSkips([], { ...rules, allowed: ["tracing"] })).toEqual([
    "CROSSDOCK_ALLOWED_SKIPS names tracing, which this machine grants: remove it, so that these tests must run",
  ]);
});

test("the runner ends with a failure where a test is skipped and nothing may be, and with success elsewhere", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "one.test.js");
  writeFileSync(file, 'test("runs", () => {});\ntest("waits", ({ skip }) => skip("no moon"));\n');
  const config = join(folder, "config.ts");
  const reporter = join(import.meta.dirname, "skip-reporter.ts");
  const settings = { test: { globals: true, reporters: [reporter] } };
  writeFileSync(config, `export default ${JSON.stringify(settings)};\n`);
  const run = (env: Record<string, string>, ...more: string[]) =>
    new Promise<{ code: number | string | null | undefined; output: string }>((done) => {
      const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", folder, "--config", config, ...more];
      const { CROSSDOCK_REQUIRE_PEERS: _, CROSSDOCK_ALLOWED_SKIPS: __, ...others } = process.env;
      // The report of the run that this test belongs to is not ours to write.
      const { [forbiddenSkipsVariable]: ___, ...rest } = others;
      execFile(process.execPath, args, { cwd: root, env: { ...rest, ...env } }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : error.code, output: stdout + stderr }),
      );
    });
  const report = join(folder, "skips.json");
  const complete = { CROSSDOCK_REQUIRE_PEERS: "1", [forbiddenSkipsVariable]: report };
  const [required, chosen, free] = await Promise.all([
    run(complete),
    run({ CROSSDOCK_REQUIRE_PEERS: "1" }, "-t", "runs"),
    run({}),
  ]);
  expect(required).toMatchObject({ code: 1, output: expect.stringMatching(/one\.test\.js > waits: no moon/) });
  expect(JSON.parse(readFileSync(report, "utf8"))).toEqual([expect.stringContaining("waits: no moon")]);
  expect([chosen.code, free.code]).toEqual([0, 0]);
});
