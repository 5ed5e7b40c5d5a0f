import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { cluster } from "./figures/cluster/cluster.ts";
import { deployments } from "./figures/cluster/deployments.ts";
import { restore } from "./figures/cluster/restore.ts";
import { consoleFigure } from "./figures/console.ts";
import { ack } from "./figures/events/ack.ts";
import { bulkPush } from "./figures/events/bulk-push.ts";
import { down } from "./figures/events/down.ts";
import { latency } from "./figures/events/latency.ts";
import { longOrderFigure } from "./figures/events/long-order.ts";
import { peers } from "./figures/events/peers.ts";
import { push } from "./figures/events/push.ts";
import { step } from "./figures/events/step.ts";
import { stepsFigure } from "./figures/events/steps.ts";
import { telemetry } from "./figures/events/telemetry.ts";
import { csv } from "./figures/files/csv.ts";
import { mapping } from "./figures/files/mapping.ts";
import { poll } from "./figures/files/poll.ts";
import { fiveMillion } from "./figures/five-million.ts";
import { hostile } from "./figures/limits/hostile.ts";
import { largeCsv } from "./figures/limits/large-csv.ts";
import { longLists } from "./figures/limits/long-lists.ts";
import { oneAddress } from "./figures/limits/one-address.ts";
import { stalledBodies } from "./figures/limits/stalled-bodies.ts";
import { exportValues } from "./figures/queries/export-values.ts";
import { httpScan } from "./figures/queries/http-scan.ts";
import { list } from "./figures/queries/list.ts";
import { scan } from "./figures/queries/scan.ts";
import { startUp } from "./figures/start-up.ts";
import { openWorkshop } from "./harness/processes/workshop.ts";
import { chapters, type Figure, type MeasuredFigure, type Measurement } from "./harness/report/measurement.ts";
import { cells, columns, line } from "./harness/report/table.ts";
import { writeReport } from "./harness/report/write-report.ts";
import { stolenSince } from "./harness/stolen-time.ts";
import { touchMemory } from "./harness/touch-memory.ts";

const figures: readonly Figure[] = [
  ...[scan, step, push, list, exportValues, csv, mapping, startUp, deployments, httpScan, poll],
  ...[hostile, longLists, stalledBodies, oneAddress, largeCsv],
  ...[
    ack,
    peers,
    cluster,
    restore,
    down,
    latency,
    fiveMillion,
    bulkPush,
    longOrderFigure,
    stepsFigure,
    telemetry,
    consoleFigure,
  ],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, stores: { type: "string" }, help: { type: "boolean", short: "h" } },
});
if (values.help) {
  const longest = Math.max(...figures.map(({ name }) => name.length));
  console.log(`npm run bench -- [FIGURE …] [options]

Measures the adapter beside bare servers and peers, and prints the ratios with their targets. Without names: all figures.

  --write          write whole chapters (${chapters.join(", ")}) into docs/measurements/performance.md
  --stores FOLDER  keep filled stores there for the next run

${figures.map(({ name, summary }) => `  ${name.padEnd(longest)}  ${summary}`).join("\n")}`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !figures.some((figure) => figure.name === name));
const names = figures.map(({ name }) => name).join(", ");
if (unknown.length > 0) fail(`There is no figure ${unknown.join(", ")}. There are: ${names}.`);
if (values.write && process.env["CROSSDOCK_BENCH_ROUNDS"]) fail("--write needs all rounds; unset the variable.");

const chosen = figures.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
// Only complete chapters are written: a chapter with some of its figures would look complete.
const wholeChapters = chapters.filter(
  (chapter) => ofChapter(figures, chapter).length === ofChapter(chosen, chapter).length,
);
const isWhole = chosen.every(({ chapter }) => wholeChapters.includes(chapter));
if (values.write && !isWhole) fail(`--write needs all figures of a chapter, or none of them. There are: ${names}.`);

const startedAt = performance.now();
const loadNow = () => loadavg()[0] ?? 0;
if (loadNow() > availableParallelism() / 2) console.log(`… this machine is busy (load ${loadNow().toFixed(1)})`);
const workshop = openWorkshop({ keptStores: values.stores, say: (text) => console.log(`… ${text}`) });
const measured: MeasuredFigure[] = [];
try {
  await touchMemory((text) => console.log(`… ${text}`));
  console.log(line(columns));
  for (const figure of chosen) {
    const loadBefore = loadNow();
    const stolen = stolenSince();
    const measurements: Measurement[] = [];
    for await (const part of partsOf(figure)) {
      const machine = { loadBefore, stolen: stolen() };
      for (const measurement of part) console.log(line(cells(measurement, machine)));
      measurements.push(...part);
    }
    measured.push({ figure, measurements, loadBefore, stolen: stolen() });
  }
} finally {
  workshop.clear();
}
console.log(`${Math.round((performance.now() - startedAt) / 1000)} s in all`);
if (values.write) writeReport(measured, workshop.skipped);

async function* partsOf(figure: Figure): AsyncGenerator<readonly Measurement[]> {
  const measuring = figure.measure(workshop);
  if (measuring instanceof Promise) yield await measuring;
  else yield* measuring;
}

function ofChapter(some: readonly Figure[], chapter: Figure["chapter"]): readonly Figure[] {
  return some.filter((figure) => figure.chapter === chapter);
}

function fail(text: string): never {
  console.error(text);
  process.exit(2);
}
