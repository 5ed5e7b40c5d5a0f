import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { interrupted } from "../../entry.ts";
import type { Lease, ProgressNote } from "../../journal.ts";
import { progressRow } from "./journal-rows.ts";

/** Stores how far deliveries of several requests came. Only the holder of the lease may store it. */
export function progressKeeper(database: Database) {
  const isLeased = database.statement("SELECT 1 FROM entry WHERE seq = ? AND state = 'inflight' AND lease_token = ?");
  const store = database.statement(
    `INSERT INTO entry_progress (seq, key, value) VALUES (?, ?, ?)
     ON CONFLICT (seq, key) DO UPDATE SET value = excluded.value`,
  );
  const remove = database.statement("DELETE FROM entry_progress WHERE seq = ?");
  return {
    note: ({ seq, token }: Lease, marks: readonly ProgressNote[]): boolean => {
      if (isLeased.get(seq, token) === undefined) return false;
      for (const { key, value } of marks) store.run(seq, key, value);
      return true;
    },
    erase: (seq: number): void => {
      remove.run(seq);
    },
  };
}

export function progressReader(database: Database): (seq: number) => ReadonlyMap<string, string> {
  const table = database.statement("SELECT 1 FROM sqlite_master WHERE name = 'entry_progress'");
  // A file of an earlier version that is read without a running adapter has no such table.
  if (table.get() === undefined) return () => new Map();
  const ofEntry = database.query("SELECT key, value FROM entry_progress WHERE seq = ?", progressRow);
  return (seq) => new Map(ofEntry.all(seq).map(({ key, value }) => [key, value]));
}

/**
 * Voids the leases of an earlier process at once: their holders are gone, and the entries must not wait for them. What
 * was being sent may have arrived, so the interrupted attempt is recorded.
 */
export function voidLeases(database: Database): void {
  const leased = "state <> 'delivered' AND state = 'inflight'";
  database
    .statement(
      `INSERT INTO attempt (seq, n, started_at, ended_at, outcome, error)
       SELECT seq, (SELECT coalesce(max(n), 0) + 1 FROM attempt a WHERE a.seq = entry.seq),
         coalesce(leased_at, received_at), coalesce(leased_at, received_at), ?, ? FROM entry WHERE ${leased}`,
    )
    .run(interrupted.outcome, interrupted.error);
  database.exec(`UPDATE entry SET state = 'retry', next_at = NULL, lease_token = NULL WHERE ${leased}`);
}
