import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/kit/ids.ts";
import { textReport } from "../src/tools/simulator/reports/summary.ts";
import { differenceText } from "./harness/compare-books.ts";
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
  console.log(`npm run test:erp -- [SYSTEM] [options]

Installs and starts a real external system, fills it with orders, simulates a day of the floor against an adapter that is
connected by a preset, kills both sides meanwhile, lets the office change orders, and compares what the system has booked with
what the floor took, line by line. Ends with 0 only without a difference.

${realSystems.map(({ name, title, sizes }) => `  ${name.padEnd(10)} ${title}: ${sizes.full.orders} orders, ${sizes.short.orders} in the short form`).join("\n")}

  --short       fewer orders, one kill of each side
  --orders N    another number of orders
  --seed N      another day (1)
  --folder PATH keeps logs and data there; the next run with it need not create the database anew`);
  process.exit(0);
}
const [name = "tryton"] = positionals;
const found = realSystems.find((one) => one.name === name);
if (found === undefined) {
  console.error(`There is no system ${name}. There are: ${realSystems.map((one) => one.name).join(", ")}.`);
  process.exit(2);
}
const size = {
  ...(values.short ? found.sizes.short : found.sizes.full),
  ...(values.orders === undefined ? {} : { orders: Number(values.orders) }),
};
const seed = Number(values.seed);

const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
const say = (text: string) => console.log(`${seconds().toFixed(0).padStart(5)} s  ${text}`);
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), `crossdock-${name}-`)) : resolve(values.folder);
let isBad = true;
try {
  await found.install(say);
  say(`starting ${found.title}`);
  const system = await found.start(folder, say);
  try {
    say(`making ${size.orders} orders`);
    await system.seed(size, seededRandom(seed, "seed"));
    say("starting the adapter");
    // The data of an earlier run belongs to another database.
    rmSync(join(folder, "adapter"), { recursive: true, force: true });
    const day = await simulateDay({
      folder: join(folder, "adapter"),
      system,
      size,
      seed,
      hasPlaces: found.hasPlaces,
      say,
    });
    console.log(textReport(day.summary, { isWhole: true }));
    for (const { seq, text, reason } of day.dead) console.log(`needs an operator: entry ${seq}, ${text}: ${reason}`);
    for (const fault of day.faults) console.log(`state: ${fault}`);
    for (const difference of day.differences) console.log(`different: ${differenceText(difference)}`);
    console.log(
      `${found.title}: ${day.lines} lines compared, ${day.differences.length} differences; ${day.dead.length} entries need an operator; ` +
        `adapter killed ${day.kills.adapter} times, ${found.title} ${day.kills.system} times; ${day.changes.length} changes in the office; ` +
        `floor ${day.seconds.floor.toFixed(0)} s, rest delivered in ${day.seconds.rest.toFixed(0)} s, all in all ${seconds().toFixed(0)} s`,
    );
    isBad = !day.summary.ok || day.dead.length + day.faults.length + day.differences.length > 0;
  } finally {
    await system.stop();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  if (isBad || values.folder !== undefined) console.log(`logs and data are in ${folder}`);
  else rmSync(folder, { recursive: true });
}
process.exitCode = isBad ? 1 : 0;
