import type { Database, SqlValue } from "../../../kit/sqlite/sqlite.ts";
import type { EntryState } from "../../entry.ts";
import type { AttemptRecord, AuditRecord, EntryFilter, JournalReader } from "../../journal.ts";
import { exchangeReader } from "../exchanges.ts";
import { entryOf, type OpenRow, openColumns, openEntryOf, type WholeEntryRow, wholeEntries } from "./row.ts";

/** Queries on separate connections: readers never wait for the writer, nor the writer for them. */
export function sqliteReader(database: Database): JournalReader {
  const bySeq = database.statement(`${wholeEntries()} WHERE e.seq = ?`);
  const byId = database.statement(`${wholeEntries()} WHERE e.id = ?`);
  const attempts = database.statement("SELECT * FROM attempt WHERE seq = ? ORDER BY n");
  const audit = database.statement("SELECT * FROM audit WHERE seq = ? ORDER BY at, rowid");
  // Both conditions are in the text: SQLite uses a partial index only if the query repeats its condition.
  const openBy = ["accepted", "retry"].map((state) =>
    database.statement(
      `SELECT ${openColumns} FROM entry e INDEXED BY entry_unfinished
     WHERE e.state <> 'delivered' AND e.state = '${state}' AND e.seq > ? AND NOT EXISTS (
       SELECT 1 FROM json_each(e.lanes) l JOIN parked_lane p ON p.lane = l.value ->> 0 WHERE p.seq < e.seq)
     ORDER BY e.seq LIMIT ?`,
    ),
  );
  const countByState = database.statement(
    `SELECT state, count(*) AS entries FROM entry INDEXED BY entry_unfinished
     WHERE state <> 'delivered' GROUP BY state`,
  );
  const countDead = database.statement(
    `SELECT coalesce(target, '') AS target, coalesce(reason, '') AS reason, count(*) AS entries
     FROM entry INDEXED BY entry_unfinished WHERE state <> 'delivered' AND state = 'dead' GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const lastSeq = database.statement("SELECT coalesce(max(seq), 0) AS seq FROM entry");
  const holder = database.statement("SELECT min(dead_seq) AS seq FROM parked_lane WHERE lane = ?");

  return {
    entry: (seqOrId) => {
      const row = typeof seqOrId === "number" ? bySeq.get<WholeEntryRow>(seqOrId) : byId.get<WholeEntryRow>(seqOrId);
      return row === undefined ? null : entryOf(row);
    },
    attempts: (seq) => attempts.all<AttemptRow>(seq).map(attemptOf),
    exchanges: exchangeReader(database),
    audit: (seq) => audit.all<AuditRow>(seq).map((row): AuditRecord => ({ ...row })),
    list: (filter) => {
      const { sql, values } = listQuery(filter);
      return database
        .statement(sql)
        .all<WholeEntryRow>(...values)
        .map(entryOf);
    },
    open: (afterSeq, limit) =>
      openBy
        .flatMap((open) => open.all<OpenRow>(afterSeq, limit))
        .sort((a, b) => a.seq - b.seq)
        .slice(0, limit)
        .map(openEntryOf),
    counts: () => {
      const counts = { accepted: 0, inflight: 0, retry: 0, delivered: 0, rejected: 0, dead: 0, discarded: 0 };
      let unfinished = 0;
      for (const { state, entries } of countByState.all<{ state: EntryState; entries: number }>()) {
        counts[state] = entries;
        unfinished += entries;
      }
      // The delivered ones are what is in no other state. Counting five million rows would take seconds; the highest
      // number is the same except for rows deleted by retention.
      counts.delivered = (lastSeq.get<{ seq: number }>()?.seq ?? 0) - unfinished;
      return counts;
    },
    deadCounts: () => countDead.all<{ target: string; reason: string; entries: number }>().map((row) => ({ ...row })),
    heldBy: (lane) => holder.get<{ seq: number | null }>(lane)?.seq ?? null,
  };
}

interface AttemptRow {
  readonly n: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}
type AuditRow = AuditRecord & { readonly [name: string]: SqlValue };

function attemptOf(row: AttemptRow): AttemptRecord {
  const { n, outcome, status, error, response } = row;
  return {
    n,
    outcome,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    ...(response === null ? {} : { response }),
  };
}

/** Every filter is optional; the SQL texts are constants, and user input is bound. */
function listQuery(filter: EntryFilter): { sql: string; values: SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const where = (condition: string, ...bound: SqlValue[]) => {
    conditions.push(condition);
    values.push(...bound);
  };
  if (filter.lane !== undefined) where("e.seq IN (SELECT seq FROM entry_lane WHERE lane = ?)", filter.lane);
  if (filter.lanes !== undefined) {
    where(`e.seq IN (SELECT seq FROM entry_lane WHERE lane IN (${marks(filter.lanes)}))`, ...filter.lanes);
  }
  if (filter.topic !== undefined) where("topic = ?", filter.topic);
  if (filter.direction !== undefined) where("direction = ?", filter.direction);
  if (filter.states !== undefined) where(`state IN (${marks(filter.states)})`, ...filter.states);
  if (filter.text !== undefined) where("instr(lower(body), lower(?)) > 0", filter.text);
  if (filter.receivedFrom !== undefined) where("received_at >= ?", filter.receivedFrom);
  if (filter.receivedTo !== undefined) where("received_at <= ?", filter.receivedTo);
  if (filter.beforeSeq !== undefined) where("e.seq < ?", filter.beforeSeq);
  // Without its own index, finding the few others among millions of delivered rows would take seconds.
  const isByLane = filter.lane !== undefined || filter.lanes !== undefined;
  const isIndexed = !isByLane && filter.states !== undefined && !filter.states.includes("delivered");
  if (isIndexed) where("state <> 'delivered'");
  const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return {
    sql: `${wholeEntries(isIndexed ? "INDEXED BY entry_unfinished" : "")}${condition} ORDER BY e.seq DESC LIMIT ?`,
    values: [...values, filter.limit],
  };
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");
