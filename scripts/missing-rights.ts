import { machineRights, missingRight } from "../chaos/harness/disks/machine-rights.ts";

if (process.argv.slice(2).some((given) => given === "--help" || given === "-h")) {
  console.log(`node scripts/missing-rights.ts

Prints what this machine does not permit (${machineRights.join(", ")}), with commas between: the value for
CROSSDOCK_ALLOWED_SKIPS. Prints nothing where everything is permitted.`);
  process.exit(0);
}

console.log(machineRights.filter((right) => missingRight(right) !== null).join(","));
