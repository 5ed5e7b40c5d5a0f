import { pick, type Row } from "../../../kit/sqlite/row.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { exchangeKeeper } from "../exchanges.ts";
import { entryRow } from "./journal-rows.ts";
import { lanesIn } from "./row.ts";

export interface PruneLimits {
  readonly bodiesBefore: number;
  readonly entriesBefore: number;
  readonly batch: number;
}

/** Entries are many and stay longer than their bodies: all of them are looked at once a day. */
const wholeRoundMs = 24 * 3600 * 1000;

const finished: ReadonlySet<string> = new Set(["delivered", "rejected", "discarded"]);

const oldRow = pick(entryRow, "seq", "lanes", "received_at", "state");

export interface Pruner {
  readonly prune: (limits: PruneLimits) => number;
  /** At the begin of a batch. */
  readonly begin: () => void;
  /** After a rollback: what was erased since then is there again, and nobody would look at it a second time. */
  readonly forget: () => void;
}

/** Erases what is old and finished, a few rows at a time: a long deletion would hold up every event behind it. */
export function pruner(database: Database): Pruner {
  const after = database.query(
    "SELECT seq, lanes, received_at, state FROM entry WHERE seq > ? ORDER BY seq LIMIT ?",
    oldRow,
  );
  const eraseBody = database.statement("DELETE FROM entry_body WHERE seq = ?");
  // What a target answered may repeat what it was sent.
  const eraseResponses = database.statement(
    "UPDATE attempt SET response = NULL WHERE seq = ? AND response IS NOT NULL",
  );
  const exchanges = exchangeKeeper(database);
  const deleteLane = database.statement("DELETE FROM entry_lane WHERE lane = ? AND key = ? AND seq = ?");
  const deletions = [
    ...["attempt", "entry_body", "entry"].map((table) => database.statement(`DELETE FROM ${table} WHERE seq = ?`)),
    // What persons did is kept; a feed of stock levels during an outage would fill the disk with these.
    database.statement("DELETE FROM audit WHERE seq = ? AND action = 'supersede'"),
  ];

  // Where the last look ended, so that the next one does not begin with all that was looked at before. Lost on a
  // restart, which costs one more round and nothing else.
  let entriesUpTo = 0;
  let bodiesUpTo = 0;
  /** When the bodies were looked at from the start: what was not finished then keeps its body until the next time. */
  let bodiesFrom = 0;
  let atBegin = { entriesUpTo, bodiesUpTo, bodiesFrom };

  /** The next few rows that are old enough: entries come in the order of their time, so the first young one ends it. */
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
    // What is not finished yet is looked at again from the start, in the round after the last.
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
