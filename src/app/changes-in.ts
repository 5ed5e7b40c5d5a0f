import { changeHistory } from "../connectors/embedded/timeline.ts";
import type { TimelineNeeds } from "../engine/overview/timeline.ts";
import type { Database } from "../kit/sqlite.ts";

/** The changes that the books of this database know of. With a connector of one's own there are no books in it. */
export function changesIn(database: Database): TimelineNeeds["changesOf"] {
  const hasBooks = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'change'").get() !== undefined;
  return hasBooks ? changeHistory(database) : () => [];
}
