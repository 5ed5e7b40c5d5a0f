import { setImmediate as nextTurn } from "node:timers/promises";
import { eachPage } from "../../../kit/sqlite/sqlite-log.ts";
import { type PageSums, sumOf } from "./page-sums.ts";

/** At least so many at once, so that the log is not opened for every commit; at most so many, so that no event waits. */
const leastAtOnce = 128;
export const mostAtOnce = 256;

export interface LogSums {
  /** The log was begun anew: the sums of none of its frames are known. */
  readonly restart: () => void;
  /** Some of those up to this frame, where it is worth it: less is left to do later. */
  readonly sumSome: (to: number) => void;
  /** All of them, at once. */
  readonly sumAll: (to: number) => void;
  /** All of them, some at a time: what waits for this thread meanwhile gets its turn. */
  readonly sumBeside: (to: number) => Promise<void>;
}

/** Takes the sums of the pages that stand in the log. */
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
    sumBeside: async (to) => {
      while (summed < to) {
        sumAll(Math.min(to, summed + mostAtOnce));
        await nextTurn();
      }
    },
  };
}
