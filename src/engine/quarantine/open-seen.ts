import type { PushTopic } from "../../contract/pushes.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Database } from "../../kit/sqlite.ts";

/** One element of a source, and what it said. */
export interface Sight {
  readonly source: string;
  readonly topic: PushTopic;
  /** The order or item it is about. */
  readonly number: string;
  /** Which record of that order or item; empty where there is one only. */
  readonly part: string;
  /** Of the content as it is applied. */
  readonly digest: string;
}

/** What each source has brought already: a poll with an overlap finds the same records again and again. */
export interface Seen {
  /** Whether the latest content from this source was this very one. */
  readonly isKnown: (sight: Sight) => boolean;
  /** After the entries are in the journal: the other way round a crash between the two would lose them. */
  readonly remember: (sights: readonly Sight[]) => void;
}

const dayMs = 24 * 3600 * 1000;

/** Bounded: the longest unseen are forgotten first, and would only be journaled once more. */
export function openSeen({
  database,
  clock,
  maxSights = 500_000,
}: {
  database: Database;
  clock: Clock;
  maxSights?: number;
}): Seen {
  database.exec(`CREATE TABLE IF NOT EXISTS seen (
    source TEXT NOT NULL, topic TEXT NOT NULL, number TEXT NOT NULL, part TEXT NOT NULL, digest TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (source, topic, number, part)) STRICT, WITHOUT ROWID`);
  database.exec("CREATE INDEX IF NOT EXISTS seen_by_at ON seen (at)");
  const find = database.statement(
    "SELECT digest, at FROM seen WHERE source = ? AND topic = ? AND number = ? AND part = ?",
  );
  const touch = database.statement("UPDATE seen SET at = ? WHERE source = ? AND topic = ? AND number = ? AND part = ?");
  const write = database.statement(
    "INSERT OR REPLACE INTO seen (source, topic, number, part, digest, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const forgetCancellations = database.statement(
    "DELETE FROM seen WHERE source = ? AND topic = 'cancellations' AND number = ?",
  );
  const oldest = database.statement("SELECT source, topic, number, part FROM seen ORDER BY at LIMIT ?");
  const remove = database.statement("DELETE FROM seen WHERE source = ? AND topic = ? AND number = ? AND part = ?");
  let total = database.statement("SELECT count(*) AS total FROM seen").get<{ total: number }>()?.total ?? 0;

  return {
    isKnown: ({ source, topic, number, part, digest }) => {
      const row = find.get<{ digest: string; at: number }>(source, topic, number, part);
      if (row?.digest !== digest) return false;
      // Once a day is enough to tell what is still in use from what is not; each time would be a write per record.
      if (clock.now() - row.at > dayMs) touch.run(clock.now(), source, topic, number, part);
      return true;
    },
    remember: (sights) => {
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const { source, topic, number, part, digest } of sights) {
          // A changed order is a new beginning: the same cancellation after it is not the old one.
          if (topic === "workOrders") total -= forgetCancellations.run(source, number).changes;
          if (find.get(source, topic, number, part) === undefined) total++;
          write.run(source, topic, number, part, digest, clock.now());
        }
        if (total > maxSights) {
          for (const row of oldest.all<Sight & Record<string, string>>(total - maxSights)) {
            total -= remove.run(row.source, row.topic, row.number, row.part).changes;
          }
        }
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}
