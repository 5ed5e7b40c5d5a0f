import type { Clock } from "../kit/clock.ts";
import type { Log } from "../kit/log.ts";
import type { Notebook } from "./connector.ts";

export interface FullComparisonNeeds {
  readonly clock: Clock;
  readonly notebook: Notebook;
  readonly log: Log;
  /** Under which the notebook keeps how far the poll has come. */
  readonly key: string;
  readonly topic: string;
  /** 0: never. */
  readonly everyHours: number;
}

const hourMs = 3_600_000;
const mostNamed = 20;

/** How often a poll goes through everything once more, where nothing else is said. */
export const defaultCompareHours = 24;

/**
 * A poll that asks for what is new misses what was committed late with an older time, and what moved to a page it had read
 * already. So once in a while all of it is read and compared; what is known by its content is not taken in again.
 */
export function fullComparison({ clock, notebook, log, key, topic, everyHours }: FullComparisonNeeds) {
  const noteKey = `${key}.compared`;
  const note = () => notebook.write(noteKey, String(clock.now()));

  const isDue = async (): Promise<boolean> => {
    if (everyHours === 0) return false;
    const noted = Number(notebook.read(noteKey) ?? Number.NaN);
    // The first poll has just read all of it. A clock that was set back would put the next comparison off.
    if (!Number.isFinite(noted) || noted > clock.now()) {
      await note();
      return false;
    }
    return clock.now() - noted >= everyHours * hourMs;
  };

  /** `compare` takes in what it finds, and resolves to the ids of what was not known. */
  return async (compare: () => Promise<readonly string[]>): Promise<void> => {
    if (!(await isDue())) return;
    try {
      const ids = await compare();
      if (ids.length > 0) {
        log.warn(
          { topic, missed: ids.length, entries: ids.slice(0, mostNamed) },
          "a full comparison found records that the poll had missed, and took them in; make overlapSeconds longer, or read pages in a fixed order",
        );
      }
    } catch (error) {
      log.warn({ topic, err: error, againInHours: everyHours }, "a full comparison failed; the poll itself goes on");
    }
    // Also after a failure: reading everything again every minute would be a load of its own.
    await note();
  };
}
