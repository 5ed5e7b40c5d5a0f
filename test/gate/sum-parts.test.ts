import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { givenTests } from "../../scripts/gate/given-tests.ts";

const program = resolve(import.meta.dirname, "../../scripts/gate/sum-parts.ts");

function play(...commands: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [program, ...commands], { encoding: "utf8" });
  const lines = stdout.trimEnd().split("\n");
  return { status, last: lines.at(-1), results: lines.filter((line) => /^\d+ passed/.test(line)).length };
}

test("the results of several commands end as one line, which is their sum", () => {
  expect(play("echo first && echo 30 passed, 0 failed", "echo 4 passed, 0 failed")).toEqual({
    ...{ status: 0, last: "34 passed, 0 failed", results: 1 },
  });
});

test.each([
  [
    "a failed test in the first command",
    ["echo 3 passed, 1 failed && exit 1", "echo 4 passed, 0 failed"],
    "7 passed, 1",
  ],
  [
    "a failed test in the last command",
    ["echo 3 passed, 0 failed", "echo 4 passed, 2 failed && exit 1"],
    "7 passed, 2",
  ],
  ["an exit code that no failure explains", ["echo 3 passed, 0 failed && exit 1"], "3 passed, 1"],
  ["a command that ends before its result", ["echo crashed", "echo 4 passed, 0 failed"], "4 passed, 1"],
])("%s makes the sum red, and the other commands run", (_what, commands, sum) => {
  expect(play(...commands)).toEqual({ status: 1, last: `${sum} failed`, results: 1 });
});

test("what is typed behind a command are parts of paths, and options for the runner", () => {
  expect(givenTests(["test/console", "-t", "signs in", "--bail=1"])).toEqual({
    ...{ paths: ["test/console"], options: ["-t", "signs in", "--bail=1"] },
  });
  expect(givenTests([])).toEqual({ paths: [], options: [] });
});
