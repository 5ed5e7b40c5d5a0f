import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import type { Intake, RunningSource } from "../../../sdk/intake.ts";
import type { Sweep } from "./sweep.ts";

const shortestMs = 100;

export interface WatchNeeds {
  readonly sweep: Sweep;
  readonly everyMs: number;
  readonly timers: Timers;
  readonly log: Log;
  readonly name: string;
  /** Called when no further file may be started. */
  readonly onStop: () => void;
}

/** Sweeps a folder at an interval. An unreachable store is logged once, and once more when it is back. */
export function watchFolder({ sweep, everyMs, timers, log, name, onStop }: WatchNeeds, intake: Intake): RunningSource {
  let isStopping = false;
  let trouble = "";
  let cancel = () => {};
  let current: Promise<void> = Promise.resolve();

  const look = async () => {
    let hasMore = false;
    try {
      hasMore = await sweep(intake);
      intake.looked?.();
      if (trouble !== "") log.info({ folder: name }, "file import works again");
      trouble = "";
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (said !== trouble) log.warn({ folder: name, reason: said }, "file import failed; it is retried");
      trouble = said;
    }
    if (!isStopping) plan(hasMore ? 0 : Math.max(shortestMs, everyMs));
  };
  const plan = (ms: number) => {
    cancel = timers.after(ms, () => {
      current = look();
    });
  };
  current = look();

  return {
    stop: async () => {
      isStopping = true;
      onStop();
      cancel();
      await current;
      cancel();
    },
  };
}
