import type { Database } from "../kit/sqlite/sqlite.ts";

/** One entry as a resident sees it, inside the transaction that stores it. */
export interface ProjectionEntry {
  readonly id: string;
  readonly seq: number;
  /** The operation or push topic. */
  readonly topic: string;
  readonly payload: unknown;
  readonly receivedAt: number;
}

export interface Applied {
  /** Plain data that survives a thread boundary. `ok: false` leaves the entry as rejected. */
  readonly outcome: { readonly ok: boolean };
  /** Whether something changed that readers may have cached. */
  readonly touched: boolean;
  /** What the external system is to be told because of this entry; stored and queued with it. */
  readonly emits?: readonly Emission[];
}

/** A message of the resident's own to the external system, such as the receipt of a change. */
export interface Emission {
  readonly topic: string;
  readonly lanes: readonly string[];
  readonly payload: object;
}

/**
 * A guest in the journal's database. What it writes while applying an entry commits together with the
 * entry. A rolled-back batch must leave no trace of itself: what the guest remembers of the database it forgets then.
 */
export interface InlineProjection {
  readonly apply: (entry: ProjectionEntry) => Applied;
  /** The batch was rolled back. Absent where nothing is remembered. */
  readonly forget?: () => void;
}

export interface ProjectionModule {
  readonly openProjection: (database: Database, options: unknown) => InlineProjection;
}
