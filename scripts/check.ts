import { join } from "node:path";
import { browserTestFiles } from "../test/gate/test-files.ts";
import { givenTests } from "./gate/given-tests.ts";
import { openGate, type Step } from "./gate/open-gate.ts";

const given = process.argv.slice(2);
if (given.some((one) => one === "--help" || one === "-h")) {
  console.log(`npm test -- [PATH …] [options of vitest]

The whole gate: generated files are up to date, OpenAPI rules, format and lint, types, the build of the package, dead
code, tests. Tests in a browser have a command of their own: npm run test:browser. Every step runs, even after a failed
one and beside the tests; the exit code is 0 only if all passed. If tests of one or two files failed, or something failed while they ran,
these run once more, alone, and what passes only then is named at the end.

  PATH …    only the tests whose path contains one of these, also those in a browser; all the other steps run as well
  -t NAME   only the tests whose title matches

npm run fix corrects what can be corrected automatically.`);
  process.exit(0);
}

const gate = openGate();

const staticSteps: readonly Step[] = [
  { name: "format and lint", command: "biome", args: ["ci", "--error-on-warnings", "."] },
  { name: "types", command: "tsc", args: ["-p", "."] },
  // Only this step makes the declarations that users compile against. It can fail although everything else is right. What
  // is right in the sources themselves, the step before has checked.
  {
    name: "the package builds",
    command: "tsc",
    args: ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--noCheck", "--outDir", join(gate.folder, "dist")],
  },
  { name: "types of the console", command: "tsc", args: ["-p", "console"] },
  { name: "no dead code", command: "knip", args: [] },
  { name: "generated files are fresh", command: "node", args: ["scripts/generate.ts", "--check"] },
  { name: "OpenAPI follows the usual rules", command: "redocly", args: ["lint", "docs/reference/openapi.json"] },
];

// Whoever names files may name those that open a browser.
const isWhole = givenTests(given).paths.length === 0;
const chosen = [...given, ...(isWhole ? [`--exclude=${browserTestFiles}`] : [])];
await Promise.all([gate.runSteps(staticSteps), gate.runTests(chosen, { isChosen: given.length > 0 })]);
gate.end();
