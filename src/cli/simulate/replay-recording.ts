import { resolve } from "node:path";
import { systemTimers } from "../../kit/time/timers.ts";
import { NoRecording } from "../../tools/simulator/record/recording-file.ts";
import { type ReplayProgress, type ReplayResult, replay } from "../../tools/simulator/replay/replay.ts";
import type { Simulation } from "../../tools/simulator/simulation.ts";
import { CommandFailure, type Terminal } from "../command.ts";

const reportEveryMs = 5000;
const drawEveryMs = 100;
const mostShown = 10;

interface ReplayWishes {
  readonly file: string;
  readonly isDataCompared: boolean;
  readonly isQuiet: boolean;
  readonly terminal: Terminal;
}

/** Replays a recording and prints the answers that differ from the recorded ones. */
export async function replayRecording(simulation: Simulation, wishes: ReplayWishes): Promise<ReplayResult> {
  const { file, isDataCompared, isQuiet, terminal } = wishes;
  const event = terminal.draw ?? terminal.print;
  const everyMs = terminal.draw === undefined ? reportEveryMs : drawEveryMs;
  let shownAt = performance.now();
  const onProgress = ({ played, different }: ReplayProgress) => {
    if (isQuiet || performance.now() - shownAt < everyMs) return;
    shownAt = performance.now();
    event(`${played} calls replayed, ${different} answered differently`);
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
