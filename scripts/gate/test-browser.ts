import { globSync } from "node:fs";
import { resolve } from "node:path";
import { browserTestFiles } from "../../test/gate/test-files.ts";
import { findChromium } from "../pictures/find-chromium.ts";
import { givenTests } from "./given-tests.ts";
import { openGate } from "./open-gate.ts";

const given = process.argv.slice(2);
if (given.some((one) => one === "--help" || one === "-h")) {
  console.log(`npm run test:browser -- [PATH …] [options of vitest]

The tests of the console in a browser. Builds the console first if its sources have changed. Needs Chromium, Chrome or
Edge, found in the PATH or where it is usually installed, or named by CHROMIUM=/path. The last line is "N passed, N failed".
Without a browser no test runs, and the last line says so; with CROSSDOCK_REQUIRE_PEERS=1 the tests fail then.

  PATH …    only the tests whose path contains one of these
  -t NAME   only the tests whose title matches`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
const { paths, options } = givenTests(given);
const files = ["src", "test"]
  .flatMap((folder) => globSync(`${folder}/${browserTestFiles}`, { cwd: root }))
  .filter((file) => paths.length === 0 || paths.some((part) => file.includes(part)));
if (files.length === 0) {
  console.error(`There is no test in a browser whose path contains ${paths.join(" or ")}.`);
  process.exit(2);
}
if (process.env["CROSSDOCK_REQUIRE_PEERS"] !== "1") {
  try {
    findChromium();
  } catch (error) {
    console.log(error instanceof Error ? error.message : String(error));
    console.log("\nthe tests in a browser were skipped: none of them ran");
    process.exit(0);
  }
}
const gate = openGate();
await gate.runSteps([
  { name: "the console is built", command: "node", args: ["scripts/build-console.ts", "--if-needed"] },
]);
await gate.runTests([...files, ...options], { isChosen: given.length > 0 });
gate.end();
