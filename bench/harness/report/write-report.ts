import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { chapters, isReached, type MeasuredFigure } from "./measurement.ts";
import { cells, columns, markdownRow } from "./table.ts";

const file = new URL("../../../docs/measurements/performance.md", import.meta.url);

const how = `## How

- Every server, every bare computation and every client is a process of its own; all traffic stays on the loopback, and the load generator, the receiver of deliveries and the other side of every comparison are on the same machine.
- The sides run in turn, round by round, after one round of each that does not count (six of a second each where servers are under load: they get their machine code in the first seconds, and run for weeks). The figures are medians of the rounds, the ratio is the quotient of the medians (of telemetry and consoles: the median of the ratios of pairs): what slows the machine for a while slows all sides.
- The load comes from bare sockets with keep-alive and ready bytes: another body in every request, times finer than a millisecond. Every answer is checked for success; one failure ends the run.
- Load is the load average of the machine before each figure; the figure measured just before is in it. Stolen is the share of the processor time that the host of a virtual machine gave to others while the figure was measured: above a few percent, times say more about the host than about the program.
- All free memory is used once before the first figure. A virtual machine often gets it from its host only then, which took up to 420 ms for a megabyte and counted as work of whatever program used it first.
- \`npm run bench -- scan list\` measures some of the figures. \`--write\` writes whole chapters of this page. \`--stores FOLDER\` keeps filled stores for the next run. \`CROSSDOCK_BENCH_PROFILE=FOLDER\` writes a processor profile of every server.
- Differences below a tenth mean nothing on a shared machine.
`;

/** Writes the measured chapters of docs/measurements/performance.md; the others stay unchanged. */
export function writeReport(measured: readonly MeasuredFigure[], skipped: readonly string[]): void {
  const written = readFileSync(file, "utf8");
  const texts = chapters.map((chapter) => {
    const own = measured.filter(({ figure }) => figure.chapter === chapter);
    if (own.length > 0) return chapterText(chapter, own, chapter === "Delivery" ? skipped : []);
    return new RegExp(`^## ${chapter}\n[^]*?(?=^## )`, "m").exec(written)?.[0] ?? "";
  });
  writeFileSync(file, ["# Performance\n\n", ...texts, how].join(""));
}

function chapterText(title: string, measured: readonly MeasuredFigure[], skipped: readonly string[]): string {
  const rows = measured.flatMap((one) => one.measurements.map((measurement) => cells(measurement, one)));
  const head = [columns, columns.map((_, index) => (index === 0 ? "---" : "---:"))];
  const missed = measured.filter(({ measurements }) => !measurements.every(isReached)).map(shortfall);
  const shortfalls = missed.length === 0 ? ["Nothing: every bar was reached in this run."] : missed;
  const parts = [
    [`## ${title}`],
    [`Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${machine()}.`],
    [...head, ...rows].map(markdownRow),
    ["### What falls short"],
    shortfalls,
    ...(skipped.length === 0 ? [] : [["### What was not measured"], skipped.map((one) => `- ${one}`)]),
    ["### What is measured"],
    measured.map(({ figure }) => `- **${figure.name}**: ${figure.summary}`),
  ];
  return parts.map((lines) => `${lines.join("\n")}\n\n`).join("");
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${availableParallelism()} cores (${model}) and ${Math.round(totalmem() / 2 ** 30)} GB of memory`;
}

function shortfall({ figure, measurements, ...machine }: MeasuredFigure): string {
  const missed = measurements.filter((one) => !isReached(one)).map((one) => cells(one, machine));
  const figures = missed.map(([what, ours, bare, ratio, bar]) =>
    ratio === "–" ? `${what}: ${ours}, bar ${bar}.` : `${what}: ${ours} to ${bare}, ratio ${ratio}, bar ${bar}.`,
  );
  return `- ${[...figures, figure.costs ?? ""].join(" ").trim()}`;
}
