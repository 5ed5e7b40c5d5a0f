import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/kit/ids.ts";
import { textReport } from "../src/tools/simulator/reports/summary.ts";
import { differenceText } from "./harness/compare-books.ts";
import type { RealSystem } from "./harness/real-system.ts";
import { simulateDay } from "./harness/simulate-day.ts";
import { realSystems } from "./systems.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: "boolean", default: false },
    orders: { type: "string" },
    seed: { type: "string", default: "1" },
    folder: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  const lines = realSystems.map(
    ({ name, title, sizes }) =>
      `  ${name.padEnd(14)} ${title}: ${sizes.full.orders} orders, short ${sizes.short.orders}`,
  );
  console.log(`npm run test:erp -- [SYSTEM or beginning of several] [options]

Installs and starts a real external system, fills it with orders, simulates a day of the floor against an adapter that is
connected to it by configuration alone, kills both sides meanwhile, lets the office change orders, and compares what the system
has booked with what the floor took, line by line. Ends with 0 only without a difference.

${lines.join("\n")}

  --short         fewer orders, one kill of each side
  --orders N      another number of orders
  --seed N        another day (1)
  --folder PATH   keeps logs and data there; the next run with it need not create the database anew`);
  process.exit(0);
}

/** A name, or what the names of a group begin with: `medusa`. */
const [given = "tryton"] = positionals;
const chosen = realSystems.filter(({ name }) => name === given || name.startsWith(`${given}-`));
if (chosen.length === 0) {
  console.error(`There is no system ${given}. There are: ${realSystems.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const seed = Number(values.seed);

/** How many changes of each kind: `lowered 3, cancelled 2`. */
function kindsOf(changes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const [kind = ""] of changes.map((change) => change.split(" "))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].map(([kind, count]) => `${kind} ${count}`);
  return kinds.length === 0 ? "" : ` (${kinds.join(", ")})`;
}

/** True without a difference, on a day in which everything happened that should. */
async function play(system: RealSystem): Promise<boolean> {
  const { name, title, sizes, hasPlaces } = system;
  const orders = values.orders === undefined ? {} : { orders: Number(values.orders) };
  const size = { ...(values.short ? sizes.short : sizes.full), ...orders };
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const say = (text: string) => console.log(`${seconds().toFixed(0).padStart(5)} s  ${text}`);
  const isKept = values.folder !== undefined;
  const folder = isKept ? resolve(values.folder ?? "", name) : mkdtempSync(join(tmpdir(), `crossdock-${name}-`));
  // A temporary folder is its owner's alone, and PostgreSQL runs as another user.
  if (!isKept) chmodSync(folder, 0o755);
  let isGood = false;
  try {
    await system.install(say);
    say(`starting ${title}`);
    const started = await system.start(folder, say);
    try {
      say(`making ${size.orders} orders`);
      await started.seed(size, seededRandom(seed, "seed"));
      say("starting the adapter");
      // The data of an earlier run belongs to another database.
      rmSync(join(folder, "adapter"), { recursive: true, force: true });
      const day = await simulateDay({ folder: join(folder, "adapter"), system: started, size, seed, hasPlaces, say });
      console.log(textReport(day.summary, { isWhole: true }));
      for (const { seq, text, reason } of day.dead) console.log(`needs an operator: entry ${seq}, ${text}: ${reason}`);
      for (const fault of day.faults) console.log(`state: ${fault}`);
      for (const difference of day.differences) console.log(`different: ${differenceText(difference)}`);
      for (const difference of day.told) console.log(`told by a receipt: ${differenceText(difference)}`);
      const { kills, changes } = day;
      for (const [side, count] of Object.entries(kills)) {
        if (count < size.kills)
          console.log(`too short: the day was over before the ${side} was killed ${size.kills} times`);
      }
      console.log(
        `${title}: ${day.lines} lines compared, ${day.differences.length} differences` +
          `${day.told.length === 0 ? "" : ` and ${day.told.length} that a receipt names`}; ${day.dead.length} entries need an operator; ` +
          `adapter killed ${kills.adapter} times, system ${kills.system} times; ${changes.length} changes in the office${kindsOf(changes)}; ` +
          `floor ${day.seconds.floor.toFixed(0)} s, rest delivered in ${day.seconds.rest.toFixed(0)} s, all in all ${seconds().toFixed(0)} s`,
      );
      const isWhole = Math.min(kills.adapter, kills.system) >= size.kills;
      isGood = isWhole && day.summary.ok && day.dead.length + day.faults.length + day.differences.length === 0;
    } finally {
      await started.stop();
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  } finally {
    if (!isGood || isKept) console.log(`logs and data are in ${folder}`);
    else rmSync(folder, { recursive: true });
  }
  return isGood;
}

process.exitCode = 0;
for (const system of chosen) if (!(await play(system))) process.exitCode = 1;
