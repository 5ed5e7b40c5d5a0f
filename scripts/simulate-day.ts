import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { progressLine } from "../src/cli/simulate/run-simulation.ts";
import { readFaultRates } from "../src/tools/simulator/calls/fault-rates.ts";
import { readChangeRates } from "../src/tools/simulator/changes/change-plan.ts";
import { summaryOf, textReport } from "../src/tools/simulator/reports/summary.ts";
import { peer } from "../test/peers/postgres.ts";
import { killedDay } from "./day/killed-day.ts";

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "5000" },
    operators: { type: "string", default: "16" },
    changes: { type: "string", default: "5%" },
    faults: { type: "string", default: "" },
    kills: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    processes: { type: "string", default: "1" },
    status: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(`npm run simulate:day -- [options]

Starts an adapter in a separate folder, simulates a day of changes against it, kills it several times, and compares what the
external system wants, what the floor picked and what the receipts say. Ends with 0 only without a difference. With several
processes they share a PostgreSQL of this run, and whoever owns the deployment is killed.

  --orders N (5000)    --operators N (16)    --seed N (1)    --kills N (3)
  --processes N (1)
  --changes LIST (5%)  --faults LIST         --status        as in crossdock simulate`);
  process.exit(0);
}

const changes = readChangeRates(values.changes);
const faults = readFaultRates(values.faults);
if ("problem" in changes || "problem" in faults) {
  console.error("problem" in changes ? changes.problem : "problem" in faults ? faults.problem : "");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "crossdock-day-"));
const processes = Number(values.processes);
const postgres = processes > 1 ? await startPostgres() : null;
let isBad = true;
let telling: NodeJS.Timeout | undefined;
try {
  const { killed, ...result } = await killedDay({
    folder,
    kills: Number(values.kills),
    ...(postgres === null ? {} : { cluster: { store: postgres.store, processes } }),
    simulation: {
      seed: Number(values.seed),
      orders: Number(values.orders),
      operators: Number(values.operators),
      ...{ speed: null, callsPerSecond: null, shiftMs: Number.POSITIVE_INFINITY },
      ...{ rates: faults.rates, changes: changes.rates, hasStatus: values.status, hasKeys: false },
      ...{ storage: "Main", erpControlUrl: null, patienceMs: 120_000 },
    },
    onBegin: (view) => {
      telling = setInterval(() => console.log(progressLine(view)), 5000);
    },
  });
  const summary = summaryOf(result);
  console.log(textReport(summary, { isWhole: true }));
  console.log(`killed ${killed} times`);
  isBad = !summary.ok;
} finally {
  clearInterval(telling);
  await postgres?.stop();
  // If there are findings, the data is kept for investigation.
  if (isBad) console.log(`the adapter's data is in ${folder}`);
  else rmSync(folder, { recursive: true });
}
process.exitCode = isBad ? 1 : 0;

async function startPostgres() {
  const data = join(folder, "postgres");
  mkdirSync(data);
  // If the script runs as root, the server runs as another user, who needs access.
  for (const each of [folder, data]) chmodSync(each, 0o755);
  const { address, stop } = await peer.start(data);
  const { user, password, host, port, database } = address;
  return { store: `postgres://${user}:${password}@${host}:${port}/${database}`, stop };
}
