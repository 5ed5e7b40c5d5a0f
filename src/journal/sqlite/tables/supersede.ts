import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { superseded } from "../../entry.ts";
import { ownName } from "../../journal.ts";
import { entryRow } from "./journal-rows.ts";

export interface State {
  readonly key: string;
  /** The time of the state. */
  readonly at: number;
  readonly target: string | null;
}

const none: readonly number[] = [];
const digits = 15;
const lastMoment = 10 ** digits - 1;

/** The key followed by its time in a fixed number of digits, so that texts sort by time. */
export const stateKey = (key: string, at: number): string =>
  `${key}@${String(Math.min(lastMoment, Math.max(0, Math.trunc(at)))).padStart(digits, "0")}`;

/** The key without its time, from a text made by `stateKey`. */
const keyIn = (text: string): string => text.slice(0, -digits - 1);

/**
 * Sends only the newest of several states: ends those that wait or were refused, and finds a newer one that ends this
 * one.
 */
export function superseder(database: Database) {
  // Repeats the conditions of the indexes word for word: otherwise SQLite would not use them.
  const waiting = `SELECT seq, id FROM entry INDEXED BY entry_superseded
     WHERE supersedes IS NOT NULL AND supersedes BETWEEN ? AND ? AND target = ? AND state IN ('accepted', 'retry', 'dead')`;
  const numbered = pick(entryRow, "seq", "id");
  const unsent = database.query(waiting, numbered);
  const newer = "AND (supersedes > ? OR seq > ?) ORDER BY supersedes DESC, seq DESC LIMIT 1";
  const newerWaiting = database.query(`${waiting} ${newer}`, numbered);
  const newerSent = database.query(
    `SELECT seq, id FROM entry INDEXED BY entry_sent_state
     WHERE supersedes IS NOT NULL AND supersedes BETWEEN ? AND ? AND target = ? AND state IN ('inflight', 'delivered')
     ${newer}`,
    numbered,
  );
  const discard = database.statement(
    "UPDATE entry SET state = 'discarded', reason = ?, next_at = NULL WHERE seq = ? AND state <> 'inflight'",
  );
  const audit = database.statement(
    "INSERT INTO audit (seq, at, operator, action, reason, before) VALUES (?, ?, ?, 'supersede', ?, NULL)",
  );

  const end = (seq: number, at: number, byId: string) => {
    discard.run(superseded, seq);
    audit.run(seq, at, ownName, byId);
  };
  const find = (text: string, target: string, seq: number): string | null => {
    const range = [text, stateKey(keyIn(text), lastMoment), target, text, seq] as const;
    return (newerWaiting.get(...range) ?? newerSent.get(...range))?.id ?? null;
  };

  return {
    /** Ends one entry, with an audit record that names the newer one. */
    end,
    /** Ends waiting or refused entries under the key of an entry that is about to be stored; returns those. */
    endOlder: ({ key, at, target }: State, byId: string, receivedAt: number): readonly number[] => {
      if (target === null) return none;
      const found = unsent.all(stateKey(key, 0), stateKey(key, at), target);
      if (found.length === 0) return none;
      for (const older of found) end(older.seq, receivedAt, byId);
      return found.map((older) => older.seq);
    },
    /** The id of a state of a later time that is waiting, refused, in flight or delivered. */
    newerThan: ({ key, at, target }: State): string | null =>
      target === null ? null : find(stateKey(key, at), target, Number.MAX_SAFE_INTEGER),
    /** A newer state than a stored one. Of two states of the same time, the one that came later is newer. */
    newerThanStored: (supersedes: string, target: string | null, seq: number): string | null =>
      target === null ? null : find(supersedes, target, seq),
  };
}

export type Superseder = ReturnType<typeof superseder>;
