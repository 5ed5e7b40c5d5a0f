import type { Database } from "../../kit/sqlite.ts";

/** Erases what is old and finished, a few rows at a time: a long deletion would hold up every event behind it. */
export function pruner(database: Database) {
  const old = database.statement(
    `SELECT seq FROM entry WHERE received_at < ? AND state IN ('delivered', 'rejected', 'discarded') ORDER BY seq LIMIT ?`,
  );
  const emptyBodies = database.statement(
    `UPDATE entry SET body = '', payload = NULL WHERE seq IN (SELECT seq FROM entry WHERE received_at < ?
       AND body <> '' AND state IN ('delivered', 'rejected', 'discarded') ORDER BY seq LIMIT ?)`,
  );
  const deletions = ["entry_lane", "attempt", "entry"].map((table) =>
    database.statement(`DELETE FROM ${table} WHERE seq = ?`),
  );

  return ({ bodiesBefore, entriesBefore, batch }: { bodiesBefore: number; entriesBefore: number; batch: number }) => {
    const rows = old.all<{ seq: number }>(entriesBefore, batch);
    for (const { seq } of rows) for (const deletion of deletions) deletion.run(seq);
    const emptied = emptyBodies.run(bodiesBefore, batch).changes;
    return rows.length + emptied;
  };
}
