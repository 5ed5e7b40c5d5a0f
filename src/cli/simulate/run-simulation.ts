import { resolve } from "node:path";
import { systemTimers } from "../../kit/time/timers.ts";
import { aisles, baysPerAisle } from "../../tools/simulator/orders/generate-items.ts";
import { NoRecording } from "../../tools/simulator/record/recording-file.ts";
import { type ReplayProgress, type ReplayResult, replay } from "../../tools/simulator/replay/replay.ts";
import { type Summary, summaryOf } from "../../tools/simulator/reports/summary.ts";
import { simulate } from "../../tools/simulator/simulate.ts";
import type { FloorView, Simulation } from "../../tools/simulator/simulation.ts";
import { CommandFailure, type Terminal } from "../command.ts";

const drawEveryMs = 150;
const reportEveryMs = 5000;
const usualSize = { columns: 80, rows: 24 };

/**
 * Runs the simulation with a live screen on a terminal, or with lines in a pipe. The first stop signal ends it early.
 */
export async function runSimulation(
  simulation: Simulation,
  { terminal, isQuiet }: { readonly terminal: Terminal; readonly isQuiet: boolean },
): Promise<Summary> {
  const stopped = new AbortController();
  void terminal.untilStopped().then(() => stopped.abort());
  let show: NodeJS.Timeout | undefined;
  const onBegin = (view: FloorView) => {
    if (isQuiet) return;
    if (!terminal.isInteractive) {
      terminal.print(`seed ${simulation.seed}`);
      show = setInterval(() => terminal.print(progressLine(view)), reportEveryMs);
      return;
    }
    const began = performance.now();
    let height = 0;
    show = setInterval(() => {
      const lines = liveScreen(view, performance.now() - began, terminal.size?.() ?? usualSize);
      // Moves the cursor to the first line of the previous picture and clears everything below.
      terminal.print(`${height === 0 ? "" : `\u001b[${height}F\u001b[J`}${lines.join("\n")}`);
      height = lines.length;
    }, drawEveryMs);
  };
  try {
    const needs = { timers: systemTimers, now: () => performance.now(), today: () => new Date() };
    return summaryOf(await simulate(simulation, { ...needs, onBegin, stopped: stopped.signal }));
  } finally {
    clearInterval(show);
  }
}

const mostShown = 10;

interface ReplayOptions {
  readonly file: string;
  readonly isDataCompared: boolean;
  readonly isQuiet: boolean;
  readonly terminal: Terminal;
}

/** Replays a recording and prints the answers that differ from the recorded ones. */
export async function replayRecording(simulation: Simulation, options: ReplayOptions): Promise<ReplayResult> {
  const { file, isDataCompared, isQuiet, terminal } = options;
  const show = terminal.draw ?? terminal.print;
  const everyMs = terminal.draw === undefined ? reportEveryMs : drawEveryMs;
  let shownAt = performance.now();
  const onProgress = ({ played, different }: ReplayProgress) => {
    if (isQuiet || performance.now() - shownAt < everyMs) return;
    shownAt = performance.now();
    show(`${played} calls replayed, ${different} answered differently`);
  };
  const { baseUrl: url, speed, apiKey } = simulation;
  const source = { file: resolve(terminal.cwd, file), url, speed, apiKey, isDataCompared, onProgress };
  let isStopped = false;
  void terminal.untilStopped().then(() => {
    isStopped = true;
  });
  const needs = { timers: systemTimers, now: () => performance.now(), isStopped: () => isStopped };
  const result = await replay({ ...source, ...needs }).catch((error: unknown) => {
    if (!(error instanceof NoRecording)) throw error;
    throw new CommandFailure(error.message, { next: "give a file written by crossdock record" });
  });
  terminal.draw?.("");
  terminal.print(replayText(result));
  return result;
}

function replayText({ played, skipped, different, differences, durationMs, recordedMs, nowMs }: ReplayResult): string {
  const ms = (time: number) => `${time.toFixed(1)} ms`;
  return [
    `${played} calls replayed in ${(durationMs / 1000).toFixed(1)} s, ${skipped} skipped`,
    `p50 ${ms(nowMs.percentileMs(0.5))} (recorded ${ms(recordedMs.percentileMs(0.5))}), p99 ${ms(nowMs.percentileMs(0.99))} (recorded ${ms(recordedMs.percentileMs(0.99))})`,
    ...differences
      .slice(0, mostShown)
      .map(
        ({ sequence, method, path, ...difference }) =>
          `call ${sequence} ${method} ${path}: ${JSON.stringify(difference)}`,
      ),
    ...(different > mostShown ? [`… and ${different - mostShown} more; --json has them`] : []),
    `Result: ${different === 0 ? "answered as recorded" : `${different} answered differently`}`,
  ].join("\n");
}

const widestBar = 40;
const narrowestBar = 8;
/** Space for the numbers beside the bar. */
const textWidth = 36;
const mostOperatorsDrawn = 61;
const signs = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The live screen: always the same number of lines, so that it can be redrawn in place. */
export function liveScreen(
  view: FloorView,
  elapsedMs: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string[] {
  const { tally, ordersDone, ordersTotal, phase, operatorStates, simulation } = view;
  const share = ordersTotal === 0 ? 0 : ordersDone / ordersTotal;
  const barWidth = Math.min(widestBar, Math.max(narrowestBar, columns - textWidth));
  const filled = Math.round(share * barWidth);
  const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
  const faults = [...tally.faults].map(([name, count]) => `${name} ${count}`).join("  ");
  const { all } = tally;
  return (
    [
      `  ${bar} ${ordersDone}/${ordersTotal} orders  ${phase}`,
      `  ${all.count()} calls  ${Math.round(tally.callsPerSecond())}/s  p50 ${ms(all.percentileMs(0.5))}  p95 ${ms(all.percentileMs(0.95))}  p99 ${ms(all.percentileMs(0.99))}`,
      `  ${(elapsedMs / 1000).toFixed(0)} s, on the floor ${hours(Math.max(0, ...operatorStates.map(({ floorMs }) => floorMs)))}, speed ${simulation.speed ?? "max"}`,
      ...aisles.map((aisle) => `  ${aisle} ${aisleRow(view, aisle)}`),
      `  put wall ${standing(view, "put wall")}  dock ${standing(view, "dock")}  desk ${standing(view, "desk")}`,
      `  faults ${faults || "none"}  sent again ${tally.resent()}  findings ${tally.findingCount()}`,
    ]
      // A line that wraps would shift the next picture down instead of replacing this one.
      .slice(0, Math.max(1, rows - 1))
      .map((line) => line.slice(0, Math.max(1, columns - 1)))
  );
}

function aisleRow({ operatorStates }: FloorView, aisle: string): string {
  const row = Array.from({ length: baysPerAisle }, () => "·");
  for (const [index, { where }] of operatorStates.slice(0, mostOperatorsDrawn).entries()) {
    const [, name, bay] = /^([A-Z])-(\d+)$/.exec(where) ?? [];
    if (name === aisle && Number(bay) <= baysPerAisle) row[Number(bay) - 1] = signs[index] ?? "*";
  }
  return row.join("");
}

const standing = ({ operatorStates }: FloorView, place: string): string =>
  operatorStates
    .slice(0, mostOperatorsDrawn)
    .map(({ where }, index) => (where === place ? (signs[index] ?? "*") : ""))
    .join("") || "·";

const ms = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
const hours = (time: number): string =>
  `${Math.floor(time / 3_600_000)}:${String(Math.floor(time / 60_000) % 60).padStart(2, "0")} h`;

/** One line for a pipe or a log. */
export const progressLine = ({ tally, ordersDone, ordersTotal, phase }: FloorView): string =>
  `${phase}: ${ordersDone}/${ordersTotal} orders, ${tally.all.count()} calls, ${Math.round(tally.callsPerSecond())}/s, p99 ${ms(tally.all.percentileMs(0.99))}, ${tally.findingCount()} findings`;
