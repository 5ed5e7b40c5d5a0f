import { pick, type Row } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { exchangeKeeper } from "../exchanges.ts";
import { lanesIn } from "./entry-columns.ts";
import { entryRow } from "./journal-rows.ts";

export interface PruneLimits {
  readonly bodiesBefore: number;
  readonly entriesBefore: number;
  readonly batch: number;
}

/** All entries are checked only once a day, because they are many and are kept longer than their bodies. */
const wholeRoundMs = 24 * 3600 * 1000;

const finished: ReadonlySet<string> = new Set(["delivered", "rejected", "discarded"]);

const oldRow = pick(entryRow, "seq", "lanes", "received_at", "state");

export interface Pruner {
  readonly prune: (limits: PruneLimits) => number;
  /** Call at the beginning of a batch. */
  readonly begin: () => void;
  /** Call after a rollback: rows deleted since are back, and would otherwise not be checked again. */
  readonly forget: () => void;
}

/** Deletes old, finished rows, a few at a time: a long deletion would delay every event behind it. */
export function pruner(database: Database): Pruner {
  const after = database.query(
    "SELECT seq, lanes, received_at, state FROM entry WHERE seq > ? ORDER BY seq LIMIT ?",
    oldRow,
  );
  const eraseBody = database.statement("DELETE FROM entry_body WHERE seq = ?");
  // An entry that was skipped halfway still has progress notes.
  const eraseProgress = database.statement("DELETE FROM entry_progress WHERE seq = ?");
  // A target's answer may repeat the body, so the answer is deleted too.
  const eraseResponses = database.statement(
    "UPDATE attempt SET response = NULL WHERE seq = ? AND response IS NOT NULL",
  );
  const exchanges = exchangeKeeper(database);
  const deleteLane = database.statement("DELETE FROM entry_lane WHERE lane = ? AND key = ? AND seq = ?");
  const deletions = [
    ...["attempt", "entry_body", "entry_progress", "entry"].map((table) =>
      database.statement(`DELETE FROM ${table} WHERE seq = ?`),
    ),
    // Audit records of operators are kept; those of superseded states would fill the disk during an outage.
    database.statement("DELETE FROM audit WHERE seq = ? AND action = 'supersede'"),
  ];

  // Where the last check ended, so that the next one does not start with rows already checked. After a restart this is
  // lost, which only costs one more round.
  let entriesUpTo = 0;
  let bodiesUpTo = 0;
  /** When the bodies were last checked from the start: entries unfinished then keep their body until the next round. */
  let bodiesFrom = 0;
  let atBegin = { entriesUpTo, bodiesUpTo, bodiesFrom };

  /**
   * Returns the next few rows that are old enough. Entries are in the order of their time, so the first young one ends
   * the list.
   */
  const oldAfter = (seq: number, before: number, batch: number): Row<typeof oldRow>[] => {
    const rows = after.all(seq, batch);
    const young = rows.findIndex((row) => row.received_at >= before);
    return young < 0 ? rows : rows.slice(0, young);
  };

  const eraseEntries = ({ entriesBefore, batch }: PruneLimits): number => {
    const rows = oldAfter(entriesUpTo, entriesBefore, batch);
    for (const { seq, lanes, state } of rows) {
      if (!finished.has(state)) continue;
      for (const [lane, , ...keys] of lanesIn(lanes)) for (const key of keys) deleteLane.run(lane, key ?? "", seq);
      for (const deletion of deletions) deletion.run(seq);
      exchanges.erase(seq);
    }
    // Unfinished entries are checked again in the next round, which starts from the beginning.
    entriesUpTo = rows.length < batch ? 0 : (rows.at(-1)?.seq ?? 0);
    return rows.filter(({ state }) => finished.has(state)).length;
  };

  const eraseBodies = ({ bodiesBefore, batch }: PruneLimits): number => {
    if (bodiesBefore - bodiesFrom >= wholeRoundMs) {
      bodiesFrom = bodiesBefore;
      bodiesUpTo = 0;
    }
    const rows = oldAfter(bodiesUpTo, bodiesBefore, batch);
    for (const { seq, state } of rows) {
      if (!finished.has(state)) continue;
      eraseBody.run(seq);
      eraseProgress.run(seq);
      eraseResponses.run(seq);
      exchanges.erase(seq);
    }
    bodiesUpTo = rows.at(-1)?.seq ?? bodiesUpTo;
    return rows.length;
  };

  return {
    prune: (limits) => eraseEntries(limits) + eraseBodies(limits),
    begin: () => {
      atBegin = { entriesUpTo, bodiesUpTo, bodiesFrom };
    },
    forget: () => {
      ({ entriesUpTo, bodiesUpTo, bodiesFrom } = atBegin);
    },
  };
}
