import type { Database } from "../../kit/sqlite.ts";
import type { Appended, NewEntry } from "../journal.ts";
import type { Resident } from "../resident.ts";

/** What one call of append asked for: stored together or not at all. */
export type Group = readonly NewEntry[];
export type GroupResult = { readonly appended: readonly Appended[] } | { readonly error: string };

export interface Writer {
  readonly write: (groups: readonly Group[]) => GroupResult[];
  /** Moves committed pages from the log into the database file, so that the log stays small. */
  readonly checkpoint: () => void;
  /** Committed pages that are still in the log only. */
  readonly logPages: () => number;
}

/** The synchronous heart of the journal: runs in its own thread, so that a slow disk never stalls a request. */
export function writer({ database, resident }: { database: Database; resident: Resident | null }): Writer {
  const insertEntry = database.statement(
    "INSERT INTO entry (id, direction, topic, body, accept_language, received_at, state) VALUES (?, ?, ?, ?, ?, ?, 'delivered')",
  );
  const insertLane = database.statement("INSERT OR IGNORE INTO entry_lane (lane, seq) VALUES (?, ?)");
  const reject = database.statement("UPDATE entry SET state = 'rejected' WHERE seq = ?");

  const appendEntry = (entry: NewEntry): Appended => {
    const { id, direction, topic, body, acceptLanguage, receivedAt } = entry;
    const seq = insertEntry.run(id, direction, topic, body, acceptLanguage, receivedAt).lastRowId;
    for (const lane of entry.lanes) insertLane.run(lane, seq);
    if (resident === null) return { id, seq, outcome: { ok: true }, touched: false };
    const payload: unknown = JSON.parse(entry.payload ?? body);
    const applied = resident.apply({ id, seq, topic, payload, receivedAt });
    if (!applied.outcome.ok) reject.run(seq);
    return { id, seq, ...applied };
  };

  const commit = (groups: readonly Group[]): GroupResult[] => {
    database.exec("BEGIN IMMEDIATE");
    const results = groups.map((group) => ({ appended: group.map(appendEntry) }));
    database.exec("COMMIT");
    return results;
  };

  const write = (groups: readonly Group[]): GroupResult[] => {
    try {
      return commit(groups);
    } catch (error) {
      rollBack(database);
      if (isDiskFailure(error)) throw error;
      if (groups.length === 1) return [{ error: describe(error) }];
      // One bad record must not fail its neighbours: each group gets a transaction of its own.
      return groups.flatMap((group) => write([group]));
    }
  };

  const log = database.statement("PRAGMA wal_checkpoint(NOOP)");
  return {
    write,
    checkpoint: () => database.exec("PRAGMA wal_checkpoint(PASSIVE)"),
    logPages: () => {
      const { log: all, checkpointed } = log.get<{ log: number; checkpointed: number }>() ?? {
        log: 0,
        checkpointed: 0,
      };
      return all - checkpointed;
    },
  };
}

function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself (disk full, I/O error): there is no transaction left to end.
  }
}

const primaryCode = (error: unknown) => Number((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** I/O error, corruption, not a database: after these the handle may not be trusted, nor the same commit tried again. */
function isDiskFailure(error: unknown): boolean {
  return [10, 11, 26].includes(primaryCode(error));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
