import type { Log } from "../kit/log.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { ConnectorState } from "./connector.ts";

interface FullComparisonNeeds {
  readonly clock: Clock;
  readonly connectorState: ConnectorState;
  readonly log: Log;
  /** The key of the poll's cursor in the connector state. */
  readonly key: string;
  readonly topic: string;
  /** 0 means never. */
  readonly everyHours: number;
}

const hourMs = 3_600_000;
const mostNamed = 20;

/** Default interval at which a poll reads everything again. */
export const defaultCompareHours = 24;

/**
 * A poll for changes misses records that were committed late with an older time, and records that moved to a page it
 * had already read. So everything is read and compared at an interval. Records whose content is known are not imported
 * again.
 */
export function fullComparison({ clock, connectorState, log, key, topic, everyHours }: FullComparisonNeeds) {
  const noteKey = `${key}.compared`;
  const note = () => connectorState.write(noteKey, String(clock.now()));

  const isDue = async (): Promise<boolean> => {
    if (everyHours === 0) return false;
    const noted = Number(connectorState.read(noteKey) ?? Number.NaN);
    // The first poll has just read everything. The note is also written anew if the clock was set back, which would
    // delay the next comparison.
    if (!Number.isFinite(noted) || noted > clock.now()) {
      await note();
      return false;
    }
    return clock.now() - noted >= everyHours * hourMs;
  };

  /** `compare` imports what it finds, and resolves to the ids of records that were unknown before. */
  return async (compare: () => Promise<readonly string[]>): Promise<void> => {
    if (!(await isDue())) return;
    try {
      const ids = await compare();
      if (ids.length > 0) {
        log.warn(
          { topic, missed: ids.length, entries: ids.slice(0, mostNamed) },
          "a full comparison found and imported records that the poll had missed; increase overlapSeconds, or read pages in a fixed order",
        );
      }
    } catch (error) {
      log.warn({ topic, err: error, againInHours: everyHours }, "full comparison failed; polling continues");
    }
    // Noted even after a failure: reading everything again every minute would overload the external system.
    await note();
  };
}
