import type { Journal } from "../journal/journal.ts";
import type { Log } from "../kit/log.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";

const dayMs = 24 * 3600 * 1000;
const batch = 500;
/** The pause between two small deletions, so that events are stored first. */
const busyMs = 200;
const idleMs = 10 * 60 * 1000;

/** Tolerance, because clocks are corrected by a little all the time. */
const mostAheadMs = 3_600_000;

export interface Retention {
  readonly bodiesDays: number;
  readonly entriesDays: number;
}

/** Deletes old entries continuously, a few rows at a time. Returns a function that stops it. */
export function pruneRegularly({
  journal,
  clock,
  timers,
  log,
  retention,
}: {
  journal: Journal;
  clock: Clock;
  timers: Timers;
  log: Log;
  /** Read before each deletion. */
  retention: () => Retention;
}): () => void {
  let cancel = timers.after(idleMs, prune);
  let isStopped = false;
  const started = { at: clock.now(), passed: timers.passed() };
  /**
   * The time used for deletion. Setting the clock forward must not delete young entries; setting it back has no effect.
   */
  const believed = () => Math.min(clock.now(), started.at + timers.passed() - started.passed + mostAheadMs);

  async function prune(): Promise<void> {
    let erased = 0;
    try {
      const now = believed();
      const { bodiesDays, entriesDays } = retention();
      erased = await journal.prune({
        bodiesBefore: now - bodiesDays * dayMs,
        entriesBefore: now - entriesDays * dayMs,
        batch,
      });
    } catch (error) {
      log.warn({ err: error }, "old entries could not be deleted; trying again");
    }
    if (!isStopped) cancel = timers.after(erased > 0 ? busyMs : idleMs, prune);
  }

  return () => {
    isStopped = true;
    cancel();
  };
}
