import { blob, integer, row } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import { beginning, type Change, isSamePosition, nextChange, type Position } from "../change.ts";

/** The local file of a deployment, which PostgreSQL can replace at any time. */
export interface LocalCopy {
  readonly position: () => Position;
  /** Stores the position after a change. Call this within the transaction of that change. */
  readonly moveTo: (position: Position) => void;
  /**
   * Applies each change in a transaction of its own. Throws CopyDiffers if a change does not fit; earlier changes are
   * kept.
   */
  readonly apply: (changes: readonly Change[]) => void;
}

/** Thrown when the local file has another history than PostgreSQL. It must be replaced by a restored file. */
export class CopyDiffers extends Error {
  override readonly name = "CopyDiffers";
}

const positionRow = row({ number: integer, hash: blob });

/**
 * Opens the copy. The table of the position has no primary key on purpose: so it is not recorded, and each copy has its
 * own position.
 */
export function localCopy(database: Database, bringTo: (layout: string | null) => void = () => {}): LocalCopy {
  database.exec("CREATE TABLE IF NOT EXISTS copy_position (number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT");
  const read = database.query("SELECT number, hash FROM copy_position", positionRow);
  if (read.get() === undefined) {
    database.statement("INSERT INTO copy_position (number, hash) VALUES (?, ?)").run(beginning.number, beginning.hash);
  }
  const write = database.statement("UPDATE copy_position SET number = ?, hash = ?");
  const position = (): Position => read.get() ?? beginning;
  const moveTo = ({ number, hash }: Position) => void write.run(number, hash);

  let layout: string | null | undefined;

  const applyOne = (change: Change) => {
    const expected = nextChange(position(), change.body);
    if (!isSamePosition(expected, change)) {
      throw new CopyDiffers(
        `change ${change.number} does not follow change ${expected.number - 1} of the local copy, or is damaged`,
      );
    }
    if (change.body.length > 0 && (change.layout ?? null) !== layout) {
      // Migrated before the change is applied: SQLite skips rows of a table that does not exist.
      bringTo(change.layout ?? null);
      layout = change.layout ?? null;
    }
    wholeTransaction(database, () => {
      if (!database.apply(change.body)) {
        throw new CopyDiffers(`change ${change.number} does not fit the rows of the local copy`);
      }
      moveTo(change);
    });
  };

  return { position, moveTo, apply: (changes) => changes.forEach(applyOne) };
}
