import { pick } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import type { EntryState, OpenEntry } from "../../entry.ts";
import { mostReleased, type PersonAction } from "../../journal.ts";
import { lanesOf, openEntryOf } from "./entry-columns.ts";
import { bodyRow, entryRow, parkedLaneRow, seqRow } from "./journal-rows.ts";

const deadSeqRow = pick(parkedLaneRow, "dead_seq");

/**
 * Tracks which lanes wait for which dead entry. An entry that waits in one lane also blocks later entries of its other
 * lanes: a container that is to be released from order A must not be attached to order B first.
 */
export function parking(database: Database) {
  const setLane = database.statement(
    `INSERT INTO parked_lane (lane, dead_seq, seq) VALUES (?, ?, ?)
     ON CONFLICT (lane, dead_seq) DO UPDATE SET seq = excluded.seq WHERE excluded.seq < seq`,
  );
  const waitingAfter = database.query(
    `SELECT e.seq FROM entry_lane l JOIN entry e ON e.seq = l.seq
     WHERE l.lane = ? AND l.seq > ? AND e.state IN ('accepted', 'retry')`,
    seqRow,
  );
  const deadInLane = database.query("SELECT dead_seq FROM parked_lane WHERE lane = ?", deadSeqRow);
  const deadBefore = database.query("SELECT dead_seq FROM parked_lane WHERE lane = ? AND seq < ?", deadSeqRow);
  const waitingFor = database.query(
    `SELECT DISTINCT e.seq FROM parked_lane p JOIN entry_lane l ON l.lane = p.lane AND l.seq > p.seq
       JOIN entry e ON e.seq = l.seq WHERE p.dead_seq = ? AND e.state IN ('accepted', 'retry')`,
    seqRow,
  );
  const clear = database.statement("DELETE FROM parked_lane WHERE dead_seq = ?");
  const stateOf = database.query("SELECT state FROM entry WHERE seq = ?", pick(entryRow, "state"));
  const anyParked = database.statement("SELECT 1 FROM parked_lane LIMIT 1");

  /** Whether any lane is parked. Usually none is, and then no entry has to check its own. */
  let isAnyParked = true;

  /** Parks the lanes of a dead entry, and the lanes of all entries that must wait for it. */
  const park = (deadSeq: number) => {
    const reached = new Set([deadSeq]);
    isAnyParked = true;
    for (const seq of reached) {
      for (const lane of lanesOf(database, seq)) {
        if (setLane.run(lane, deadSeq, seq).changes === 0) continue;
        for (const waiting of waitingAfter.all(lane, seq)) reached.add(waiting.seq);
      }
    }
  };

  const deadSeqs = (rows: readonly { dead_seq: number }[]) => rows.map(({ dead_seq }) => dead_seq);

  return {
    /** Call at the beginning of a batch: the previous one may have been rolled back. */
    begin: () => {
      isAnyParked = anyParked.get() !== undefined;
    },
    park,
    /** Parks a new waiting entry if one of its lanes is parked before it. */
    join: (seq: number, lanes: readonly string[]) => {
      if (!isAnyParked) return;
      const before = new Set(lanes.flatMap((lane) => deadSeqs(deadBefore.all(lane, seq))));
      for (const deadSeq of before) for (const lane of lanes) setLane.run(lane, deadSeq, seq);
    },
    isParked: (seq: number): boolean => lanesOf(database, seq).some((lane) => deadBefore.get(lane, seq) !== undefined),
    /** The dead entries that concern the lanes of the entry. */
    deadOf: (seq: number): ReadonlySet<number> =>
      new Set(lanesOf(database, seq).flatMap((lane) => deadSeqs(deadInLane.all(lane)))),
    waitingFor: (deadSeq: number): number[] => waitingFor.all(deadSeq).map(({ seq }) => seq),
    /** Called after a change: unparks what waits for the entry, and parks it again if the entry is still dead. */
    parkAgain: (deadSeq: number) => {
      clear.run(deadSeq);
      if (stateOf.get(deadSeq)?.state === "dead") park(deadSeq);
    },
  };
}

export type ParkingRules = ReturnType<typeof parking>;

/** The states in which each action is allowed. An entry in flight is never touched: two deliveries would overlap. */
const allowedFrom: Record<PersonAction["action"], readonly EntryState[]> = {
  retry: ["dead", "retry"],
  edit: ["dead", "retry", "accepted"],
  skip: ["dead", "retry", "accepted"],
  replay: ["delivered", "discarded"],
};

/** Applies an operator's action to an entry, always with an audit record. */
export function personActions(database: Database, parking: ParkingRules) {
  const rowBySeq = database.query("SELECT * FROM entry WHERE seq = ?", entryRow);
  const bodyOf = database.query("SELECT body FROM entry_body WHERE seq = ?", bodyRow);
  const audit = database.statement(
    "INSERT INTO audit (seq, at, operator, action, reason, before) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const reopen = database.statement(
    "UPDATE entry SET state = 'accepted', reason = NULL, next_at = NULL, replays = replays + ? WHERE seq = ?",
  );
  const discard = database.statement("UPDATE entry SET state = 'discarded', reason = ?, next_at = NULL WHERE seq = ?");
  const rewrite = database.statement("UPDATE entry_body SET body = ?, payload = NULL WHERE seq = ?");

  return (seq: number, action: PersonAction, operator: string, at: number): readonly OpenEntry[] | null => {
    const row = rowBySeq.get(seq);
    if (row === undefined || row.target === null || !allowedFrom[action.action].includes(row.state)) return null;
    const body = bodyOf.get(seq)?.body;
    // Retention has erased the body that would be sent.
    if (action.action === "replay" && body === undefined) return null;
    const reason = action.reason ?? null;
    audit.run(seq, at, operator, action.action, reason, action.action === "edit" ? (body ?? null) : null);

    const dead = parking.deadOf(seq);
    const held = new Set([seq, ...[...dead].flatMap(parking.waitingFor)]);
    if (action.action === "edit") rewrite.run(action.body, seq);
    if (action.action === "skip") discard.run(reason, seq);
    else reopen.run(action.action === "replay" ? 1 : 0, seq);
    for (const deadSeq of dead) parking.parkAgain(deadSeq);
    return released([...held].sort((a, b) => a - b));
  };

  function released(seqs: readonly number[]): readonly OpenEntry[] {
    const entries: OpenEntry[] = [];
    for (const seq of seqs) {
      if (entries.length === mostReleased) break;
      const row = rowBySeq.get(seq);
      const isWaiting = row?.state === "accepted" || row?.state === "retry";
      if (row !== undefined && isWaiting && !parking.isParked(seq)) entries.push(openEntryOf(row));
    }
    return entries;
  }
}
