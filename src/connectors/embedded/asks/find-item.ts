import type { Database } from "../../../kit/sqlite.ts";
import { fold } from "../fold.ts";

export interface FoundItem {
  readonly number: string;
  readonly json: string;
}

/** The item with exactly this number; without one, the first whose number differs in letter case only. */
export function findItem(database: Database): (number: string) => FoundItem | undefined {
  const exact = database.statement("SELECT number, json FROM item WHERE number = ?");
  const folded = database.statement("SELECT number, json FROM item WHERE folded = ? ORDER BY number LIMIT 1");
  return (number) => exact.get<FoundItem>(number) ?? folded.get<FoundItem>(fold(number));
}
