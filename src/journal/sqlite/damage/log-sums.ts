import { setImmediate as nextTurn } from "node:timers/promises";
import { eachPage } from "../../../kit/sqlite/sqlite-log.ts";
import { type PageSums, sumOf } from "./page-sums.ts";

/**
 * At least this many frames at a time, so that the log is not opened for every commit; at most this many, so that no
 * event waits.
 */
const leastAtOnce = 128;
export const mostAtOnce = 256;

export interface LogSums {
  /** Called when the log was restarted: no frame has a known sum. */
  readonly restart: () => void;
  /** Computes some of the sums up to this frame if there are enough, so that less is left for later. */
  readonly sumSome: (to: number) => void;
  /** Computes all sums up to this frame at once. */
  readonly sumAll: (to: number) => void;
  /** Computes all sums up to this frame, some at a time, so that other work of this thread can run in between. */
  readonly sumInTurns: (to: number) => Promise<void>;
}

/** Computes the sums of the pages in the log. */
export function logSums(logFile: string, sums: PageSums): LogSums {
  /** Frames whose sums are known. */
  let summed = 0;
  const sumAll = (to: number) => {
    if (to <= summed) return;
    eachPage(logFile, { from: summed, to }, (page, bytes) => sums.set(page, sumOf(bytes)));
    summed = to;
  };
  return {
    restart: () => {
      summed = 0;
    },
    sumSome: (to) => {
      if (to - summed >= leastAtOnce) sumAll(Math.min(to, summed + mostAtOnce));
    },
    sumAll,
    sumInTurns: async (to) => {
      while (summed < to) {
        sumAll(Math.min(to, summed + mostAtOnce));
        await nextTurn();
      }
    },
  };
}
