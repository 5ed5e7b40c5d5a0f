import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { judgeAudit } from "./judge-audit.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`npm run audit

Asks the registry for known weaknesses of the libraries that users get, and fails for high and critical ones.
Where the registry offers no audits, or is not reached, it says so and does not fail.`);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
// Started by its name, so that npm finds its own configuration and registry.
const { stdout, stderr, error } = spawnSync("npm", ["audit", "--omit=dev", "--json", "--package-lock-only"], {
  ...{ cwd: root, encoding: "utf8", maxBuffer: 2 ** 26, shell: process.platform === "win32", timeout: 120_000 },
});
const { isBad, lines } = judgeAudit(stdout ?? "", error?.message ?? stderr ?? "");
for (const line of lines) console.log(line);
process.exitCode = isBad ? 1 : 0;
