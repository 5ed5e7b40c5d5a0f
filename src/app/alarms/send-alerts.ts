import type { AlertChannel } from "../../engine/alarms/alarm.ts";
import type { AlarmFile } from "../../engine/alarms/open-alarm-file.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";

export interface AlertSender {
  /** Sends what waits, unless that is being done. */
  readonly send: () => void;
  /** Begins nothing new; what is under way is broken off, and sent again at the next start. */
  readonly stop: () => Promise<void>;
}

export interface AlertSenderNeeds {
  readonly file: Pick<AlarmFile, "first" | "postpone" | "remove">;
  /** By name; those of the snapshot that holds when sending begins. */
  readonly channels: () => ReadonlyMap<string, AlertChannel>;
  /** Keeps that snapshot until the work has ended: without it a reload could close a channel that sends. */
  readonly hold?: (work: Promise<void>) => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

const firstWaitMs = 15_000;
const longestWaitMs = 3_600_000;
/** Whoever cannot be told for so long has learnt of it in another way. */
const givenUpMs = 3 * 86_400_000;

/** Sends alerts one by one, in order, each channel for itself; what fails is tried again, for days. */
export function alertSender({ file, channels, hold, clock, timers, log }: AlertSenderNeeds): AlertSender {
  const running = new Map<string, Promise<void>>();
  const cancels = new Map<string, () => void>();
  const stopping = new AbortController();

  const sendFirst = async (name: string, channel: AlertChannel): Promise<boolean> => {
    const waiting = file.first(name);
    if (waiting === null || stopping.signal.aborted) return false;
    const { row, alert, attempts, nextAt } = waiting;
    const now = clock.now();
    // No longer than it could have been planned: the clock may have been set back.
    const waitMs = Math.min(nextAt - now, longestWaitMs);
    if (waitMs > 0) {
      cancels.set(name, timers.after(waitMs, send));
      return false;
    }
    try {
      await channel.send(alert, stopping.signal);
      file.remove(row);
    } catch (error) {
      if (stopping.signal.aborted) return false;
      const reason = error instanceof Error ? error.message : String(error);
      const fields = { channel: name, alert: alert.id, reason };
      if (clock.now() - alert.at > givenUpMs) {
        log.error(fields, "an alert could not be sent for days and is given up");
        file.remove(row);
      } else {
        log.warn(fields, "an alert could not be sent and is tried again");
        file.postpone(row, clock.now() + Math.min(firstWaitMs * 2 ** Math.min(attempts, 20), longestWaitMs));
      }
    }
    return true;
  };

  const run = async (name: string, channel: AlertChannel) => {
    while (await sendFirst(name, channel));
  };

  function send(): void {
    for (const [name, channel] of channels()) {
      if (running.has(name) || stopping.signal.aborted) continue;
      cancels.get(name)?.();
      const work = run(name, channel)
        .catch((error: unknown) => log.error({ err: error }, "alerts could not be sent"))
        .finally(() => running.delete(name));
      running.set(name, work);
      hold?.(work);
    }
  }

  return {
    send,
    stop: async () => {
      stopping.abort();
      for (const cancel of cancels.values()) cancel();
      await Promise.all(running.values());
    },
  };
}
