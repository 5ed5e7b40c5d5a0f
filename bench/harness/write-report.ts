import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { isReached, type MeasuredFigure } from "./measurement.ts";
import { cells, columns, markdownRow } from "./table.ts";

const file = new URL("../../docs/performance.md", import.meta.url);

/** Writes docs/performance.md from one whole run. */
export function writeReport(measured: readonly MeasuredFigure[], skipped: readonly string[]): void {
  const rows = measured.flatMap(({ measurements, loadBefore }) => measurements.map((one) => cells(one, loadBefore)));
  const missed = measured.filter(({ measurements }) => !measurements.every(isReached)).map(shortfall);
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const text = `# Performance

Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} cores (${model}) and ${Math.round(totalmem() / 2 ** 30)} GB of memory, by \`npm run bench -- --write\`. The load generator and the other side of every comparison ran on the same machine. Load is its load average before each figure; the figure measured just before is in it.

${[markdownRow(columns), markdownRow(columns.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(markdownRow)].join("\n")}

## What falls short

${missed.length === 0 ? "Nothing: every bar was reached in this run." : missed.join("\n")}
${skipped.length === 0 ? "" : `\n## What was not measured\n\n${skipped.map((one) => `- ${one}`).join("\n")}\n`}
## What is measured

${measured.map(({ figure }) => `- **${figure.name}**: ${figure.summary}`).join("\n")}

## How

- Every server, every bare computation and every client is a process of its own; all traffic stays on the loopback.
- Both sides run in turn, round by round, after one round of each that does not count. The figures are medians of the rounds, the ratio is the quotient of the medians: what slows the machine for a while slows both sides.
- The load comes from bare sockets with keep-alive and ready bytes (as fast as autocannon against the same server, but with another body in every request and finer times). Every answer is checked for success; one failure ends the run.
- \`npm run bench -- scan list\` measures some of the figures. \`CROSSDOCK_BENCH_PROFILE=FOLDER\` writes a processor profile of every server.
- Differences below a tenth mean nothing on a shared machine.
`;
  writeFileSync(file, text);
}

function shortfall({ figure, measurements, loadBefore }: MeasuredFigure): string {
  const missed = measurements.filter((one) => !isReached(one)).map((one) => cells(one, loadBefore));
  const figures = missed.map(([what, ours, bare, ratio, bar]) =>
    ratio === "–" ? `${what}: ${ours}, bar ${bar}.` : `${what}: ${ours} to ${bare}, ratio ${ratio}, bar ${bar}.`,
  );
  return `- ${[...figures, figure.costs ?? ""].join(" ").trim()}`;
}
