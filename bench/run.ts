import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { csv } from "./figures/csv.ts";
import { exportValues } from "./figures/export-values.ts";
import { list } from "./figures/list.ts";
import { scan } from "./figures/scan.ts";
import { startUp } from "./figures/start-up.ts";
import { step } from "./figures/step.ts";
import type { Figure, Measurement } from "./harness/measurement.ts";
import { cells, columns, line } from "./harness/table.ts";
import { openWorkshop } from "./harness/workshop.ts";
import { writeReport } from "./harness/write-report.ts";

const figures: readonly Figure[] = [scan, step, list, exportValues, csv, startUp];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, stores: { type: "string" } },
});
const unknown = positionals.filter((name) => !figures.some((figure) => figure.name === name));
const names = figures.map(({ name }) => name).join(", ");
if (unknown.length > 0) fail(`There is no figure ${unknown.join(", ")}. There are: ${names}.`);
// A table of some of the figures would look like a table of all of them.
if (values.write && positionals.length > 0) fail("--write needs all figures; name none.");

const chosen = figures.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const startedAt = performance.now();
const [loadBefore = 0] = loadavg();
if (loadBefore > availableParallelism() / 2) console.log(`… this machine is busy (load ${loadBefore.toFixed(1)})`);
const workshop = openWorkshop({ keptStores: values.stores, say: (text) => console.log(`… ${text}`) });
const measured: { figure: Figure; measurements: readonly Measurement[] }[] = [];
try {
  console.log(line(columns));
  for (const figure of chosen) {
    const measurements = await figure.measure(workshop);
    for (const measurement of measurements) console.log(line(cells(measurement)));
    measured.push({ figure, measurements });
  }
} finally {
  workshop.clear();
}
console.log(`${Math.round((performance.now() - startedAt) / 1000)} s in all`);
if (values.write) writeReport(measured, { loadBefore });

function fail(text: string): never {
  console.error(text);
  process.exit(2);
}
