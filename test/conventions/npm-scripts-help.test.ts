import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
/** Those that run one program of this repository and nothing else. */
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /^node (\S+\.ts)$/.exec(command)?.[1];
  return file === undefined ? [] : [{ name, file }];
});

test("every npm script that is a program of this repository is among those asked for help", () => {
  const names = programs.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      ...[
        "test",
        "test:browser",
        "test:chaos",
        "test:model",
        "test:erp",
        "test:postgres",
        "generate",
        "bench",
        "example",
        "demo",
        "simulate:day",
        "pictures",
      ],
    ]),
  );
});

for (const { name, file } of programs) {
  test(`npm run ${name} -- --help says what it does and its options, and touches nothing`, () => {
    const folder = temporaryFolder();
    const env = { ...process.env, TMPDIR: folder, TEMP: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(root, file), "--help"], {
      ...{ cwd: folder, env, encoding: "utf8", timeout: 500_000 },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.startsWith(name === "test" ? "npm test" : `npm run ${name}`), stdout).toBe(true);
    expect(stdout.trim().split("\n").length).toBeGreaterThan(2);
    expect(readdirSync(folder)).toEqual([]);
  });
}
