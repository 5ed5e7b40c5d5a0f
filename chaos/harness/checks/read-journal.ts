import { DatabaseSync } from "node:sqlite";
import type { EntryState } from "../../../src/journal/entry.ts";
import { readMark } from "../floor/floor-event.ts";

/** What the check needs to know of an entry. */
export interface JournalEntry {
  readonly seq: number;
  readonly id: string;
  readonly state: EntryState;
  readonly order: string;
  readonly counter: number;
  readonly receivedAt: number;
  /** When the service took its answer for given; null where it does not know. */
  readonly answeredAt: number | null;
  readonly suspectOf: number | null;
  /** Behind a dead entry of one of its lanes: it waits for a person. */
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

// By the entry's own list of lanes: entry_lane has no index by seq, and a hundred thousand entries would take hours.
const isParked = `EXISTS (SELECT 1 FROM json_each(e.lanes) l JOIN parked_lane p ON p.lane = l.value ->> 0
  WHERE p.seq < e.seq)`;

/** What was told in one direction as the journal has it, in its order, and whether the database is sound. */
export function readJournal(
  dataFolder: string,
  direction: "out" | "in" = "out",
): { entries: JournalEntry[]; integrity: string } {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 5000 });
  try {
    // A power cut may take a database that was never forced to the disk: then it holds nothing.
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

/** An attempt as the journal noted it down. */
export interface NotedAttempt {
  readonly seq: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Attempts that came to nothing, by entry. */
export function readFailedAttempts(dataFolder: string): ReadonlyMap<number, readonly NotedAttempt[]> {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 5000 });
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

/** How many entries still have to be delivered, without those that wait for a person. */
export const countOpen = (dataFolder: string): number => queryNumber(dataFolder, `SELECT count(*) AS n ${openEntries}`);

/** Whether there are any; asked again and again, it must not count a hundred thousand of them each time. */
export const hasOpen = (dataFolder: string): boolean =>
  queryNumber(dataFolder, `SELECT EXISTS (SELECT 1 ${openEntries}) AS n`) === 1;

function queryNumber(dataFolder: string, sql: string): number {
  const database = new DatabaseSync(`${dataFolder}/crossdock.db`, { readOnly: true, timeout: 5000 });
  try {
    return Number(database.prepare(sql).get()?.["n"] ?? 0);
  } finally {
    database.close();
  }
}
