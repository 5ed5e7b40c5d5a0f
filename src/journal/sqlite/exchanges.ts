import type { Database } from "../../kit/sqlite/sqlite.ts";
import { displacedBy, type Exchange } from "../entry.ts";
import { attemptExchangeRow } from "./tables/journal-rows.ts";

/** More attempts than an entry can have: one per second for a week is fewer. */
const perEntry = 2 ** 20;

/** The row number: the number of the entry, then of the attempt. Rows of one entry are adjacent and need no index. */
const placeOf = (seq: number, n: number): number => seq * perEntry + n;

/** Stores and deletes the exchanges of attempts. */
export function exchangeKeeper(database: Database) {
  const insert = database.statement("INSERT OR REPLACE INTO attempt_exchange (at, exchanges) VALUES (?, ?)");
  const remove = database.statement("DELETE FROM attempt_exchange WHERE at = ?");
  const removeAll = database.statement("DELETE FROM attempt_exchange WHERE at BETWEEN ? AND ?");
  return {
    keep: (seq: number, n: number, exchanges: readonly Exchange[]): void => {
      insert.run(placeOf(seq, n), JSON.stringify(exchanges));
      const displaced = displacedBy(n);
      if (displaced !== null) remove.run(placeOf(seq, displaced));
    },
    erase: (seq: number): void => {
      removeAll.run(placeOf(seq, 0), placeOf(seq + 1, -1));
    },
  };
}

/** Returns a function that reads the exchanges of an entry by the number of the attempt. */
export function exchangeReader(database: Database): (seq: number) => ReadonlyMap<number, readonly Exchange[]> {
  const table = database.statement("SELECT 1 FROM sqlite_master WHERE name = 'attempt_exchange'");
  // A file of an earlier version that is read without a running adapter has no such table.
  if (table.get() === undefined) return () => new Map();
  const ofEntry = database.query(
    "SELECT at, exchanges FROM attempt_exchange WHERE at BETWEEN ? AND ?",
    attemptExchangeRow,
  );
  return (seq) =>
    new Map(
      ofEntry
        .all(placeOf(seq, 0), placeOf(seq + 1, -1))
        // `exchangeKeeper` wrote the text from this type.
        .map(({ at, exchanges }) => [at - placeOf(seq, 0), JSON.parse(exchanges) as readonly Exchange[]] as const),
    );
}
