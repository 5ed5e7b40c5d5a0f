import type { Database } from "../../kit/sqlite.ts";
import { superseded } from "../entry.ts";
import { ownName } from "../journal.ts";

export interface Newer {
  /** What the audit gives as the reason. */
  readonly id: string;
  readonly supersedes: string;
  readonly stateAt: number;
  readonly target: string | null;
  readonly receivedAt: number;
}

const none: readonly number[] = [];
const digits = 15;

/** The key with its moment behind it, in as many digits for all: texts in order are moments in order. */
export const stateKey = (key: string, at: number): string =>
  `${key}@${String(Math.max(0, Math.trunc(at))).padStart(digits, "0")}`;

/** Ends what waits under the key of an entry that is about to be stored; returns which. What is in flight is left alone. */
export function superseder(database: Database): (newer: Newer) => readonly number[] {
  // The condition of the index word for word: otherwise SQLite would not use it.
  const waiting = database.statement(
    `SELECT seq FROM entry INDEXED BY entry_superseded
     WHERE supersedes IS NOT NULL AND supersedes BETWEEN ? AND ? AND target = ? AND state IN ('accepted', 'retry')`,
  );
  const discard = database.statement(
    `UPDATE entry SET state = 'discarded', reason = ?, next_at = NULL WHERE seq = ? AND state IN ('accepted', 'retry')`,
  );
  const audit = database.statement(
    "INSERT INTO audit (seq, at, operator, action, reason, before) VALUES (?, ?, ?, 'supersede', ?, NULL)",
  );

  return ({ id, supersedes, stateAt, target, receivedAt }) => {
    if (target === null) return none;
    const found = waiting.all<{ seq: number }>(stateKey(supersedes, 0), stateKey(supersedes, stateAt), target);
    if (found.length === 0) return none;
    for (const older of found) {
      discard.run(superseded, older.seq);
      audit.run(older.seq, receivedAt, ownName, id);
    }
    return found.map((older) => older.seq);
  };
}
