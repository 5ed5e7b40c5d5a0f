import { systemTimers } from "../../kit/time/timers.ts";
import { liveScreen, progressLine } from "../../tools/simulator/reports/live-screen.ts";
import { type Summary, summaryOf } from "../../tools/simulator/reports/summary.ts";
import { simulate } from "../../tools/simulator/simulate.ts";
import type { FloorView, Simulation } from "../../tools/simulator/simulation.ts";
import type { Terminal } from "../command.ts";

const drawEveryMs = 150;
const reportEveryMs = 5000;
const usualSize = { columns: 80, rows: 24 };

/** Runs the simulation with a live screen on a terminal, or lines in a pipe; the first stop signal ends it early. */
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
