import type { Database } from "../../kit/sqlite.ts";
import { lanesIn } from "./row.ts";

export interface PruneLimits {
  readonly bodiesBefore: number;
  readonly entriesBefore: number;
  readonly batch: number;
}

const finished = "state IN ('delivered', 'rejected', 'discarded')";

/** Erases what is old and finished, a few rows at a time: a long deletion would hold up every event behind it. */
export function pruner(database: Database): (limits: PruneLimits) => number {
  const old = database.statement(
    `SELECT seq, lanes FROM entry WHERE received_at < ? AND ${finished} ORDER BY seq LIMIT ?`,
  );
  const withBody = database.statement(
    `SELECT seq FROM entry WHERE seq > ? AND received_at < ? AND body <> '' AND ${finished} ORDER BY seq LIMIT ?`,
  );
  const eraseBody = database.statement("UPDATE entry SET body = '', payload = NULL WHERE seq = ?");
  const deleteLane = database.statement("DELETE FROM entry_lane WHERE lane = ? AND seq = ?");
  const deletions = ["attempt", "entry"].map((table) => database.statement(`DELETE FROM ${table} WHERE seq = ?`));
  const keys = database.statement("SELECT key, seq FROM latest WHERE key > ? ORDER BY key LIMIT ?");
  const deleteKey = database.statement("DELETE FROM latest WHERE key = ?");
  const exists = database.statement("SELECT 1 FROM entry WHERE seq = ?");

  // Where the last look ended, so that the next one does not begin with all that was looked at before. Lost on a
  // restart, which costs one more round and nothing else.
  let bodiesUpTo = 0;
  let keysUpTo = "";

  const eraseEntries = ({ entriesBefore, batch }: PruneLimits): number => {
    const rows = old.all<{ seq: number; lanes: string }>(entriesBefore, batch);
    for (const { seq, lanes } of rows) {
      for (const [lane] of lanesIn(lanes)) deleteLane.run(lane, seq);
      for (const deletion of deletions) deletion.run(seq);
    }
    return rows.length;
  };

  const eraseBodies = ({ bodiesBefore, batch }: PruneLimits): number => {
    const rows = withBody.all<{ seq: number }>(bodiesUpTo, bodiesBefore, batch);
    for (const { seq } of rows) eraseBody.run(seq);
    bodiesUpTo = rows.at(-1)?.seq ?? bodiesUpTo;
    return rows.length;
  };

  /** Keys whose entry is gone can recognise nothing any more. */
  const eraseKeys = ({ batch }: PruneLimits): void => {
    const rows = keys.all<{ key: string; seq: number }>(keysUpTo, batch);
    for (const { key, seq } of rows) if (exists.get(seq) === undefined) deleteKey.run(key);
    keysUpTo = rows.length < batch ? "" : (rows.at(-1)?.key ?? "");
  };

  return (limits) => {
    const erased = eraseEntries(limits) + eraseBodies(limits);
    eraseKeys(limits);
    return erased;
  };
}
