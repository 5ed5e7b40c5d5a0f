import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { entryRow, seqRow } from "./tables/journal-rows.ts";

const pushRow = pick(entryRow, "topic", "lanes", "received_at", "sender");

/** Finds what came from external systems among the entries, by their numbers. */
export function storedPushes(database: Database) {
  const last = database.query("SELECT coalesce(max(seq), 0) AS seq FROM entry", seqRow);
  const between = database.query(
    "SELECT topic, lanes, received_at, sender FROM entry WHERE seq > ? AND seq <= ? AND direction = 'in' ORDER BY seq",
    pushRow,
  );
  return {
    lastSeq: () => last.get()?.seq ?? 0,
    between: (after: number, upTo: number) =>
      between.all(after, upTo).map(({ topic, lanes, received_at: receivedAt, sender }) => ({
        ...{ topic, receivedAt, sender },
        // [[lane, position, key], …], written by the journal.
        lanes: (JSON.parse(lanes) as [string][]).map(([lane]) => lane),
      })),
  };
}
