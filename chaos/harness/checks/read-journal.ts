import { DatabaseSync } from "node:sqlite";
import type { EntryState } from "../../../src/journal/entry.ts";
import { readMark } from "../floor/floor-event.ts";

/** The members of an entry that the check needs. */
export interface JournalEntry {
  readonly seq: number;
  readonly id: string;
  readonly state: EntryState;
  readonly order: string;
  readonly counter: number;
  readonly receivedAt: number;
  /** When the service considered its answer delivered; null if it does not know. */
  readonly answeredAt: number | null;
  readonly suspectOf: number | null;
  /** Whether it waits behind a dead entry of one of its lanes, so that operator action is required. */
  readonly isParked: boolean;
}

interface Row {
  readonly seq: number;
  readonly id: string;
  readonly state: EntryState;
  readonly mark: string | null;
  readonly received_at: number;
  readonly answered_at: number | null;
  readonly suspect_of: number | null;
  readonly parked: number;
}

// Uses the entry's own list of lanes: entry_lane has no index by seq, and a hundred thousand entries would take hours.
const isParked = `EXISTS (SELECT 1 FROM json_each(e.lanes) l JOIN parked_lane p ON p.lane = l.value ->> 0
  WHERE p.seq < e.seq)`;

/** Reads the journal's entries of one direction, in order, and checks the database for damage. */
export function readJournal(
  dataFolder: string,
  direction: "out" | "in" = "out",
): { entries: JournalEntry[]; integrity: string } {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 60_000 });
  try {
    // After a power cut, a database that was never flushed to the disk may be empty.
    if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'entry'").get() === undefined) {
      return { entries: [], integrity: "ok" };
    }
    const rows = database.prepare(
      `SELECT e.seq, e.id, e.state, json_extract(b.body, '$.userEmail') AS mark, e.received_at, e.answered_at, e.suspect_of,
         e.state IN ('accepted', 'retry') AND ${isParked} AS parked
       FROM entry e JOIN entry_body b ON b.seq = e.seq WHERE e.direction = ? ORDER BY e.seq`,
    );
    const entries: JournalEntry[] = [];
    // Exactly the columns of the statement above.
    for (const row of rows.iterate(direction) as unknown as Iterable<Row>) {
      const mark = readMark(row.mark);
      if (mark === null) continue;
      const { seq, id, state, received_at: receivedAt, answered_at: answeredAt, suspect_of: suspectOf } = row;
      entries.push({ seq, id, state, ...mark, receivedAt, answeredAt, suspectOf, isParked: row.parked === 1 });
    }
    const integrity = String(Object.values(database.prepare("PRAGMA integrity_check").get() ?? {})[0]);
    return { entries, integrity };
  } finally {
    database.close();
  }
}

/** An attempt as recorded in the journal. */
export interface NotedAttempt {
  readonly seq: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Failed attempts, by entry. */
export function readFailedAttempts(dataFolder: string): ReadonlyMap<number, readonly NotedAttempt[]> {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 60_000 });
  try {
    const rows = database.prepare(
      `SELECT seq, started_at AS startedAt, ended_at AS endedAt, status, error FROM attempt
       WHERE error IS NOT NULL ORDER BY seq, n`,
    );
    // Exactly the columns of the statement above.
    return Map.groupBy(rows.all() as unknown as NotedAttempt[], ({ seq }) => seq);
  } finally {
    database.close();
  }
}

const openEntries = `FROM entry e
  WHERE e.state <> 'delivered' AND e.state IN ('accepted', 'inflight', 'retry')
    AND (NOT EXISTS (SELECT 1 FROM parked_lane) OR NOT ${isParked})`;

/** The number of entries that still have to be delivered, without dead and parked ones. */
export const countOpen = (dataFolder: string): number => queryNumber(dataFolder, `SELECT count(*) AS n ${openEntries}`);

/**
 * Whether any entries still have to be delivered. Called very often, so it must not count a hundred thousand entries
 * each time.
 */
export const hasOpen = (dataFolder: string): boolean =>
  queryNumber(dataFolder, `SELECT EXISTS (SELECT 1 ${openEntries}) AS n`) === 1;

function queryNumber(dataFolder: string, sql: string): number {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 60_000 });
  try {
    return Number(database.prepare(sql).get()?.["n"] ?? 0);
  } finally {
    database.close();
  }
}
