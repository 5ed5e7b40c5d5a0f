import type { AlertChannel } from "../../engine/alarms/alarm.ts";
import type { AlarmFile } from "../../engine/alarms/open-alarm-file.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";

export interface AlertSender {
  /** Sends waiting alerts, unless a send is already running. */
  readonly send: () => void;
  /** Starts no new alert; a running one is aborted and sent again at the next start. */
  readonly stop: () => Promise<void>;
}

export interface AlertSenderNeeds {
  readonly file: Pick<AlarmFile, "first" | "postpone" | "remove">;
  /** The channels by name, from the snapshot that is current when sending begins. */
  readonly channels: () => ReadonlyMap<string, AlertChannel>;
  /** Keeps that snapshot until the work is done: otherwise a reload could close a channel that is sending. */
  readonly hold?: (work: Promise<void>) => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

const firstWaitMs = 15_000;
const longestWaitMs = 3_600_000;
/** An alert this old is dropped. */
const givenUpMs = 3 * 86_400_000;

/** Sends alerts one by one and in order, independently per channel; failed ones are retried for days. */
export function alertSender({ file, channels, hold, clock, timers, log }: AlertSenderNeeds): AlertSender {
  const running = new Map<string, Promise<void>>();
  const cancels = new Map<string, () => void>();
  const stopping = new AbortController();

  const sendFirst = async (name: string, channel: AlertChannel): Promise<boolean> => {
    const waiting = file.first(name);
    if (waiting === null || stopping.signal.aborted) return false;
    const { row, alert, attempts, nextAt } = waiting;
    const now = clock.now();
    // Limited to the longest planned wait: otherwise a clock that was set back would stop the retries.
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
        log.error(fields, "an alert could not be sent for three days; it is dropped");
        file.remove(row);
      } else {
        log.warn(fields, "an alert could not be sent; it will be retried");
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
