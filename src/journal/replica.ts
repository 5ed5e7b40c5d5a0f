import type { Database } from "../kit/sqlite/sqlite.ts";
import type { ProjectionModule } from "./inline-projection.ts";

/** Stores every commit at a second place before it is made here, so that nobody is answered what only this file has. */
export interface Replica {
  /** Before the first statement of a transaction. */
  readonly begin: () => void;
  /** After its last statement. Throws ReplicaRefused unless the other place is known to have it. */
  readonly confirm: () => void;
  /** The transaction is rolled back. True if the other place may have it: then the file must be opened again. */
  readonly abandon: () => boolean;
}

export interface ReplicaModule {
  /** Brings the file up to date with the other place first. */
  readonly openReplica: (database: Database, options: unknown, projection?: ProjectionModule) => Replica;
}

/** The other place did not confirm a commit; it may have it nevertheless, which the next opening finds out. */
export class ReplicaRefused extends Error {
  override readonly name = "ReplicaRefused";
}
