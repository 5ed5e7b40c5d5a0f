import type { Database } from "../kit/sqlite/sqlite.ts";
import type { ProjectionModule } from "./inline-projection.ts";

/** Stores every commit at a second place before it is committed here, so that no answer depends on this file alone. */
export interface Replica {
  /** Called before the first statement of a transaction. */
  readonly begin: () => void;
  /** Called after its last statement. Throws ReplicaRefused unless the other place is known to have the commit. */
  readonly confirm: () => void;
  /**
   * Does the same while this thread does something else, but nothing with the database. Absent: the thread has to
   * sleep.
   */
  readonly confirmLater?: () => Promise<void>;
  /**
   * Called when the transaction is rolled back. True if the other place may have it: then the file must be opened
   * again.
   */
  readonly abandon: () => boolean;
  /** Called when the file is closed. */
  readonly close?: () => void;
}

export interface ReplicaModule {
  /** Opens the replica, and first updates the file with what the other place has. */
  readonly openReplica: (database: Database, options: unknown, projection?: ProjectionModule) => Replica;
}

/**
 * Thrown when the other place did not confirm a commit. It may have the commit nevertheless; the next opening finds
 * out.
 */
export class ReplicaRefused extends Error {
  override readonly name = "ReplicaRefused";
  /** Whether the other place may have the commit. */
  readonly isDoubtful: boolean;
  constructor(message: string, isDoubtful = false) {
    super(message);
    this.isDoubtful = isDoubtful;
  }
}
