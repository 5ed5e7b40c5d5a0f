import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "../../journal/entry.ts";
import type { JournalReader } from "../../journal/journal.ts";
import { entryView, entryViewInTurns } from "../journal-view/entries/entry-view.ts";

/** The one-line texts of the dead entries that an alarm lists. */
export interface EntryTexts {
  readonly of: (entry: Entry) => string;
  /** Reads the entries whose text is not known yet, in pieces, so that other requests run meanwhile. */
  readonly prepare: () => Promise<void>;
}

/** A longer body is not parsed within a check. */
const shortBody = 64 * 1024;
const unseen = { showPersonal: false };

/**
 * Keeps the texts from one check to the next. Alarms are checked every few seconds, and a step of an order with 10,000
 * lines has three megabytes: without this, they would be parsed at every check.
 */
export function entryTexts(read: Pick<JournalReader, "list" | "entry" | "entryInTurns">): EntryTexts {
  let known = new Map<string, string>();

  return {
    of: (brief) => {
      const kept = known.get(keyOf(brief));
      if (kept !== undefined) return kept;
      // The entry became dead after the last preparation.
      const entry = read.entry(brief.seq) ?? brief;
      return entry.body.length > shortBody ? entry.topic : entryView({ ...entry, answer: null }, unseen).text;
    },
    prepare: async () => {
      const next = new Map<string, string>();
      for (const brief of [...newestDead(read).values()].flat()) {
        const key = keyOf(brief);
        let text = known.get(key);
        if (text === undefined) {
          const entry = (await read.entryInTurns(brief.seq)) ?? brief;
          ({ text } = await entryViewInTurns({ ...entry, answer: null }, unseen));
          await nextTurn();
        }
        next.set(key, text);
      }
      known = next;
    },
  };
}

/** The counters belong to the key because an edited entry is tried again, and its text may differ then. */
const keyOf = ({ seq, attempts, targetFailures, replays }: Entry): string =>
  [seq, attempts, targetFailures, replays].join();

const mostListed = 5;
/** How many dead entries are read to find the few that are listed per target. */
const mostLookedAt = 100;

export type DeadKind = "refused" | "gaveUp";

/** The key of the alarm that reports a dead entry. */
export const deadGroup = (reason: string | null, target: string | null): string =>
  JSON.stringify([(reason === "refused" ? "refused" : "gaveUp") satisfies DeadKind, target ?? ""]);

/** The newest few dead entries by kind and target, without their bodies. */
export function newestDead(read: Pick<JournalReader, "list">): ReadonlyMap<string, readonly Entry[]> {
  const found = read.list({ states: ["dead"], limit: mostLookedAt, isBrief: true });
  const groups = Map.groupBy(found, ({ target, reason }) => deadGroup(reason, target));
  return new Map([...groups].map(([key, entries]) => [key, entries.slice(0, mostListed)]));
}
