import type { Database } from "../../kit/sqlite.ts";
import type { EntryState, OpenEntry } from "../entry.ts";
import type { PersonAction } from "../journal.ts";
import { type EntryRow, lanesOf, openEntryOf } from "./row.ts";

/** From which states a person may do what. An entry in flight is never touched: two runs would overlap. */
const allowedFrom: Record<PersonAction["action"], readonly EntryState[]> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

const maxFreed = 1000;

/** What a person decides about an entry, with a record of it that cannot be left out. */
export function personActions(database: Database) {
  const rowBySeq = database.statement("SELECT * FROM entry WHERE seq = ?");
  const audit = database.statement(
    "INSERT INTO audit (seq, at, operator, action, reason, before) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const reopen = database.statement(
    "UPDATE entry SET state = 'accepted', reason = NULL, next_at = NULL, replays = replays + ? WHERE seq = ?",
  );
  const discard = database.statement("UPDATE entry SET state = 'discarded', reason = ?, next_at = NULL WHERE seq = ?");
  const rewrite = database.statement("UPDATE entry SET body = ?, payload = NULL WHERE seq = ?");
  const unpark = database.statement("DELETE FROM parked_lane WHERE seq = ?");
  const openInLane = database.statement(
    `SELECT e.* FROM entry_lane l JOIN entry e ON e.seq = l.seq
     WHERE l.lane = ? AND e.state IN ('accepted', 'retry') ORDER BY l.seq LIMIT ?`,
  );

  /** The entries that may go on now: the entry itself and what waited behind it. Null where it is not allowed. */
  return (seq: number, action: PersonAction, operator: string, at: number): readonly OpenEntry[] | null => {
    const row = rowBySeq.get<EntryRow>(seq);
    if (row === undefined || row.target === null || !allowedFrom[action.action].includes(row.state)) return null;
    const reason = "reason" in action ? action.reason : null;
    audit.run(seq, at, operator, action.action, reason, action.action === "edit" ? row.body : null);
    unpark.run(seq);
    if (action.action === "edit") rewrite.run(action.body, seq);
    if (action.action === "skip") discard.run(reason, seq);
    else reopen.run(action.action === "replay" ? 1 : 0, seq);
    return freed(seq);
  };

  function freed(seq: number): readonly OpenEntry[] {
    const entries = new Map<number, OpenEntry>();
    for (const { lane } of lanesOf(database, seq)) {
      for (const row of openInLane.all<EntryRow>(lane, maxFreed)) entries.set(row.seq, openEntryOf(database, row));
    }
    return [...entries.values()].sort((a, b) => a.seq - b.seq);
  }
}
