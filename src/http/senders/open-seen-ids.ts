import { createHash } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";
import type { Log } from "../../kit/log.ts";
import type { Database } from "../../kit/sqlite.ts";
import type { Timers } from "../../kit/timers.ts";
import type { SeenIds } from "./seen-ids.ts";

export interface SeenIdsNeeds {
  readonly database: Database;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** About 60 MB of disk. Where there are more, the ones that end first are forgotten early, and the log says so. */
  readonly maxIds?: number;
}

interface Waiting {
  readonly digest: Uint8Array;
  readonly untilMs: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** In a file of its own, forced to the disk; all ids of one turn of the loop share one commit. */
export function openSeenIds({ database, clock, timers, log, maxIds = 1_000_000 }: SeenIdsNeeds): SeenIds {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
  database.exec("CREATE TABLE IF NOT EXISTS taken (id BLOB PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID");
  database.exec("CREATE INDEX IF NOT EXISTS taken_by_until ON taken (until)");
  const find = database.statement("SELECT until FROM taken WHERE id = ?");
  const write = database.statement("INSERT OR REPLACE INTO taken (id, until) VALUES (?, ?)");
  const forget = database.statement(
    "DELETE FROM taken WHERE id IN (SELECT id FROM taken WHERE until < ? ORDER BY until LIMIT 500)",
  );
  const evict = database.statement("DELETE FROM taken WHERE id IN (SELECT id FROM taken ORDER BY until LIMIT ?)");
  let total = database.statement("SELECT count(*) AS total FROM taken").get<{ total: number }>()?.total ?? 0;
  const underWay = new Set<string>();
  let waiting: Waiting[] = [];

  const commit = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      database.exec("BEGIN IMMEDIATE");
      try {
        let next = total - forget.run(clock.now()).changes;
        for (const { digest, untilMs } of batch) next += write.run(digest, untilMs).changes;
        if (next > maxIds) {
          next -= evict.run(next - maxIds).changes;
          log.warn({ maxIds }, "more signed deliveries than can be remembered; some could be taken twice");
        }
        database.exec("COMMIT");
        total = next;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
      for (const { done } of batch) done();
    } catch (error) {
      log.error({ err: error }, "signed deliveries could not be remembered");
      for (const { failed } of batch) failed(error);
    }
  };

  return {
    begin: (id) => {
      if (underWay.has(id)) return "under way";
      const row = find.get<{ until: number }>(digestOf(id));
      if (row !== undefined && row.until >= clock.now()) return "taken";
      underWay.add(id);
      return "new";
    },
    keep: (id, untilMs) =>
      new Promise<void>((done, failed) => {
        if (waiting.length === 0) timers.soon(commit);
        waiting.push({ digest: digestOf(id), untilMs, done, failed });
        // Where it could not be written it stays under way: this process at least does not take it twice.
      }).then(() => {
        underWay.delete(id);
      }),
    release: (id) => {
      underWay.delete(id);
    },
    close: () => {
      commit();
      database.close();
    },
  };
}

/** Ids come from outside and may be long; this many bytes are enough to tell them apart. */
const digestOf = (id: string): Uint8Array => createHash("sha256").update(id).digest().subarray(0, 20);
