import type { Database } from "../kit/sqlite/sqlite.ts";

/** One entry as an inline projection sees it, inside the transaction that stores it. */
export interface ProjectionEntry {
  readonly id: string;
  readonly seq: number;
  /** The operation or push topic. */
  readonly topic: string;
  readonly payload: unknown;
  readonly receivedAt: number;
}

/** Plain data that can be passed between threads. */
export interface AppliedOutcome {
  readonly ok: boolean;
  /**
   * Long data as JSON, in place of the member `data`. The main thread puts it into the answer as it is: parsing and
   * writing megabytes would hold up all other requests.
   */
  readonly dataText?: string;
}

export interface Applied {
  /** `ok: false` stores the entry as rejected. */
  readonly outcome: AppliedOutcome;
  /** Whether data changed that readers may have cached. */
  readonly touched: boolean;
  /** Messages to the external system caused by this entry; stored and queued with it. */
  readonly emits?: readonly Emission[];
}

/** The projection's own message to the external system, such as the receipt of a change. */
export interface Emission {
  readonly topic: string;
  readonly lanes: readonly string[];
  readonly payload: object;
  /** The target, if it is not the target of all other messages. */
  readonly target?: string;
}

/**
 * A projection inside the journal's database. What it writes while applying an entry commits together with the entry.
 * After a rollback it must drop everything it has cached from the database.
 */
export interface InlineProjection {
  readonly apply: (entry: ProjectionEntry) => Applied;
  /** Called when a batch was rolled back. Absent if nothing is cached. */
  readonly forget?: () => void;
}

/** The tables of a projection, numbered by their migrations. */
export interface ProjectionLayout {
  readonly newest: number;
  readonly of: (database: Database) => number;
  /** Migrates the tables to this number; does nothing if they have reached it. */
  readonly bringTo: (database: Database, number: number) => void;
}

export interface ProjectionModule {
  /** Absent: opening the projection creates its tables, which never change. */
  readonly layout?: ProjectionLayout;
  readonly openProjection: (database: Database, options: unknown) => InlineProjection;
}
