import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { browserTestFiles, testFiles } from "./test-files.ts";

const root = resolve(import.meta.dirname, "../..");
const isLeftOut = (name: string) => /^(?:node_modules|dist|build|data|\..+)$/.test(name);
const allTests = globSync("**/*.{test,spec}.{ts,tsx,js,mjs}", { cwd: root, exclude: isLeftOut });

/** Whatever opens a browser needs one of these. */
const drivers = /^(?:playwright-core|@axe-core\/playwright|.*\/find-chromium\.ts)$/;

/** What a file imports for more than its types. */
const importsIn = (text: string) =>
  [...text.matchAll(/(?:^|\n)(?:import|export)\s+(?!type\b)(?:[^"';]*?from\s+)?"([^"]+)"|import\(\s*"([^"]+)"/g)].map(
    ([, named, dynamic]) => named ?? dynamic ?? "",
  );

/** This one only looks for a browser, on machines that it describes. */
const known = new Map([[join(root, "test/gate/find-browser.test.ts"), false]]);
function opensBrowser(path: string): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  // Files that import each other end here.
  known.set(path, false);
  const found = importsIn(readFileSync(path, "utf8")).some((name) => {
    if (drivers.test(name)) return true;
    const target = resolve(dirname(path), name);
    return name.startsWith(".") && /\.tsx?$/.test(name) && existsSync(target) && opensBrowser(target);
  });
  known.set(path, found);
  return found;
}

test("every file of tests belongs to a command", () => {
  expect(allTests.length).toBeGreaterThan(300);
  expect(allTests.filter((path) => !testFiles.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
});

test("a file of tests opens a browser if its name says so, and no other does", () => {
  const browserTests = allTests.filter((path) => matchesGlob(path, browserTestFiles));
  expect(browserTests.length).toBeGreaterThan(10);
  expect(allTests.filter((path) => opensBrowser(join(root, path))).toSorted()).toEqual(browserTests.toSorted());
});

test("continuous integration runs both commands, and a forgotten test fails it", () => {
  const run = readFileSync(join(root, ".ci/run"), "utf8");
  expect(run).toContain('"npm test" "npm run test:browser"');
  expect(run).toContain("export CROSSDOCK_REQUIRE_PEERS=1");
});

test("the public workflow runs the tests in a browser only where it fails without one", () => {
  const workflow = parse(readFileSync(join(root, ".github/workflows/test.yml"), "utf8"));
  const steps: readonly { run?: string }[] = workflow.jobs.gate.steps;
  expect(steps.filter(({ run }) => run?.includes("test:browser"))).toEqual([
    {
      name: "Test in a browser",
      if: "matrix.system == 'ubuntu-24.04'",
      env: { CROSSDOCK_REQUIRE_PEERS: 1 },
      run: "npm run test:browser",
    },
  ]);
});
