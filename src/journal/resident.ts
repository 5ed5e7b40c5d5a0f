import type { Database } from "../kit/sqlite.ts";

/** One entry as a resident sees it, inside the transaction that stores it. */
export interface ResidentEntry {
  readonly id: string;
  readonly seq: number;
  /** The operation or push topic. */
  readonly topic: string;
  readonly payload: unknown;
  readonly receivedAt: number;
}

/**
 * A guest in the journal's database. What it writes while applying an entry commits together with the
 * entry. It keeps no state outside the database: a rolled-back batch must leave no trace of itself.
 */
export interface Resident {
  /** Returns plain data that survives a thread boundary: the outcome. */
  readonly apply: (entry: ResidentEntry) => unknown;
}

export interface ResidentModule {
  readonly openResident: (database: Database, options: unknown) => Resident;
}
