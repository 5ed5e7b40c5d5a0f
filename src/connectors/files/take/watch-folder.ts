import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { Intake, RunningSource } from "../../../sdk/intake.ts";
import { FilesHeld } from "./put-away.ts";
import type { Sweep } from "./sweep.ts";

const shortestMs = 100;

interface WatchNeeds {
  readonly sweep: Sweep;
  readonly everyMs: number;
  readonly timers: Timers;
  readonly log: Log;
  readonly name: string;
  /** What an alarm calls it. */
  readonly part: string;
  /** Called when no further file may be started. */
  readonly onStop: () => void;
}

/** Sweeps a folder at an interval. An unreachable store is logged once, and once more when it is back. */
export function watchFolder(needs: WatchNeeds, intake: Intake): RunningSource {
  const { sweep, everyMs, timers, log, name, part, onStop } = needs;
  let isStopping = false;
  let trouble = "";
  let cancel = () => {};
  let current: Promise<void> = Promise.resolve();

  const sweepOnce = async () => {
    let hasMore = false;
    intake.sourceResult?.(part, "begun");
    try {
      hasMore = await sweep(intake);
      intake.sourceRead?.();
      intake.sourceResult?.(part, "worked");
      if (trouble !== "") log.info({ folder: name }, "file import works again");
      trouble = "";
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== trouble) log.warn({ folder: name, reason }, "file import failed; it is retried");
      trouble = reason;
      if (error instanceof FilesHeld) {
        hasMore = error.hasMore;
        intake.sourceRead?.();
      }
      intake.sourceResult?.(part, "failed");
    }
    if (!isStopping) plan(hasMore ? 0 : Math.max(shortestMs, everyMs));
  };
  const plan = (ms: number) => {
    cancel = timers.after(ms, () => {
      current = sweepOnce();
    });
  };
  current = sweepOnce();

  return {
    stop: async () => {
      isStopping = true;
      onStop();
      cancel();
      await current;
      cancel();
      intake.sourceResult?.(part, "worked");
    },
  };
}
