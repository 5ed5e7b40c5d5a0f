import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(resolve(root, path), "utf8");

/** The packages that `.ci/run` installs where their programs are missing. */
const needed = [...read(".ci/run").matchAll(/^need \S+ (\S+)$|missing\+=\(([a-z][\w-]*)\)/gm)]
  .map(([, named, alone]) => named ?? alone ?? "")
  .filter((name, index, all) => all.indexOf(name) === index)
  .toSorted();

/** What the one command in the file installs. */
const installedBy = (path: string): string[] => {
  const [, words = ""] = /apt-get install ((?:[^\n"`&\\]|\\\n)+)/.exec(read(path)) ?? [];
  return words
    .split(/[\s\\]+/)
    .filter((word) => word !== "" && !word.startsWith("--"))
    .toSorted();
};

test("the tests' counterparts are installed by the same list in continuous integration, the workflow, the container and the guide", () => {
  expect(needed).toEqual(expect.arrayContaining(["mariadb-server", "openssh-server", "chromium", "caddy"]));
  expect(installedBy(".devcontainer/devcontainer.json")).toEqual(needed);
  expect(installedBy("CONTRIBUTING.md")).toEqual(needed);
  // Ubuntu has Chromium only as a snap. The image of the system that runs the tests in a browser has Chrome.
  expect(installedBy(".github/workflows/test.yml")).toEqual(needed.filter((name) => name !== "chromium"));
});
