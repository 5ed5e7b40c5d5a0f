import type { Database } from "../../kit/sqlite.ts";
import type { EntryState, OpenEntry } from "../entry.ts";
import { mostFreed, type PersonAction } from "../journal.ts";
import type { ParkingRules } from "./parking.ts";
import { type EntryRow, openEntryOf } from "./row.ts";

/** From which states a person may do what. An entry in flight is never touched: two runs would overlap. */
const allowedFrom: Record<PersonAction["action"], readonly EntryState[]> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

/** What a person decides about an entry, with a record of it that cannot be left out. */
export function personActions(database: Database, parking: ParkingRules) {
  const rowBySeq = database.statement("SELECT * FROM entry WHERE seq = ?");
  const bodyOf = database.statement("SELECT body FROM entry_body WHERE seq = ?");
  const audit = database.statement(
    "INSERT INTO audit (seq, at, operator, action, reason, before) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const reopen = database.statement(
    "UPDATE entry SET state = 'accepted', reason = NULL, next_at = NULL, replays = replays + ? WHERE seq = ?",
  );
  const discard = database.statement("UPDATE entry SET state = 'discarded', reason = ?, next_at = NULL WHERE seq = ?");
  const rewrite = database.statement("UPDATE entry_body SET body = ?, payload = NULL WHERE seq = ?");

  return (seq: number, action: PersonAction, operator: string, at: number): readonly OpenEntry[] | null => {
    const row = rowBySeq.get<EntryRow>(seq);
    if (row === undefined || row.target === null || !allowedFrom[action.action].includes(row.state)) return null;
    const body = bodyOf.get<{ body: string }>(seq)?.body;
    // Retention has erased what would have to be sent.
    if (action.action === "replay" && body === undefined) return null;
    const reason = "reason" in action ? action.reason : null;
    audit.run(seq, at, operator, action.action, reason, action.action === "edit" ? (body ?? null) : null);

    const dead = parking.deadOf(seq);
    const held = new Set([seq, ...[...dead].flatMap(parking.waitingFor)]);
    if (action.action === "edit") rewrite.run(action.body, seq);
    if (action.action === "skip") discard.run(reason, seq);
    else reopen.run(action.action === "replay" ? 1 : 0, seq);
    for (const deadSeq of dead) parking.parkAgain(deadSeq);
    return freed([...held].sort((a, b) => a - b));
  };

  function freed(seqs: readonly number[]): readonly OpenEntry[] {
    const entries: OpenEntry[] = [];
    for (const seq of seqs) {
      if (entries.length === mostFreed) break;
      const row = rowBySeq.get<EntryRow>(seq);
      const isWaiting = row?.state === "accepted" || row?.state === "retry";
      if (row !== undefined && isWaiting && !parking.isParked(seq)) entries.push(openEntryOf(row));
    }
    return entries;
  }
}
