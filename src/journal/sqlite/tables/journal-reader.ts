import { integer, type Row, row, text } from "../../../kit/sqlite/row.ts";
import type { Database, SqlValue } from "../../../kit/sqlite/sqlite.ts";
import type { AttemptRecord, AuditRecord, EntryFilter, JournalReader } from "../../journal.ts";
import { exchangeReader } from "../exchanges.ts";
import {
  briefEntries,
  entryInTurnsOf,
  entryOf,
  openColumns,
  openEntryOf,
  openRow,
  wholeEntries,
} from "./entry-columns.ts";
import { attemptRow, auditRow, entryRow, extremeSeqRow, seqRow, wholeEntryRow } from "./journal-rows.ts";
import { progressReader } from "./progress.ts";

/** Queries on separate connections: readers and the writer never wait for each other. */
export function sqliteReader(database: Database): JournalReader {
  const bySeq = database.query(`${wholeEntries()} WHERE e.seq = ?`, wholeEntryRow);
  const byId = database.query(`${wholeEntries()} WHERE e.id = ?`, wholeEntryRow);
  const select = { whole: wholeEntries, brief: briefEntries(database) };
  const briefBySeq = database.query(`${select.brief()} WHERE e.seq = ?`, wholeEntryRow);
  const briefById = database.query(`${select.brief()} WHERE e.id = ?`, wholeEntryRow);
  const attempts = database.query("SELECT * FROM attempt WHERE seq = ? ORDER BY n", attemptRow);
  const latest = database.query("SELECT * FROM attempt WHERE seq = ? ORDER BY n DESC LIMIT 1", attemptRow);
  const audit = database.query("SELECT * FROM audit WHERE seq = ? ORDER BY at, row", auditRow);
  // The text has both conditions, because SQLite uses a partial index only if the index's condition is in the query.
  const openBy = ["accepted", "retry"].map((state) =>
    database.query(
      `SELECT ${openColumns} FROM entry e INDEXED BY entry_unfinished
     WHERE e.state <> 'delivered' AND e.state = '${state}' AND e.seq > ? AND NOT EXISTS (
       SELECT 1 FROM json_each(e.lanes) l JOIN parked_lane p ON p.lane = l.value ->> 0 WHERE p.seq < e.seq)
     ORDER BY e.seq LIMIT ?`,
      openRow,
    ),
  );
  const countByState = database.query(
    `SELECT state, count(*) AS entries FROM entry INDEXED BY entry_unfinished
     WHERE state <> 'delivered' GROUP BY state`,
    stateCountRow,
  );
  const countDead = database.query(
    `SELECT coalesce(target, '') AS target, coalesce(reason, '') AS reason, count(*) AS entries
     FROM entry INDEXED BY entry_unfinished WHERE state <> 'delivered' AND state = 'dead' GROUP BY 1, 2 ORDER BY 1, 2`,
    deadCountRow,
  );
  const lastSeq = database.query("SELECT coalesce(max(seq), 0) AS seq FROM entry", seqRow);
  const laneRow = row({ lane: text });
  const firstLane = database.query(
    "SELECT lane FROM entry_lane WHERE lane >= ? AND lane < ? ORDER BY lane LIMIT 1",
    laneRow,
  );
  const nextLane = database.query(
    "SELECT lane FROM entry_lane WHERE lane > ? AND lane < ? ORDER BY lane LIMIT 1",
    laneRow,
  );
  const holder = database.query("SELECT min(dead_seq) AS seq FROM parked_lane WHERE lane = ?", extremeSeqRow);

  return {
    entry: (seqOrId) => {
      const row = typeof seqOrId === "number" ? bySeq.get(seqOrId) : byId.get(seqOrId);
      return row === undefined ? null : entryOf(row);
    },
    entryInTurns: async (seqOrId) => {
      const row = typeof seqOrId === "number" ? bySeq.get(seqOrId) : byId.get(seqOrId);
      return row === undefined ? null : await entryInTurnsOf(row);
    },
    brief: (seqOrId) => {
      const row = typeof seqOrId === "number" ? briefBySeq.get(seqOrId) : briefById.get(seqOrId);
      return row === undefined ? null : entryOf(row);
    },
    attempts: (seq) => attempts.all(seq).map(attemptOf),
    latestAttempt: (seq) => {
      const row = latest.get(seq);
      return row === undefined ? null : attemptOf(row);
    },
    exchanges: exchangeReader(database),
    progress: progressReader(database),
    audit: (seq) => audit.all(seq).map(({ row: _number, ...record }): AuditRecord => record),
    list: (filter) =>
      listQueries(filter, select)
        .flatMap(({ sql, values }) => database.query(sql, wholeEntryRow).all(...values))
        .sort((a, b) => b.seq - a.seq)
        .slice(0, filter.limit)
        .map(entryOf),
    open: (afterSeq, limit) =>
      openBy
        .flatMap((open) => open.all(afterSeq, limit))
        .sort((a, b) => a.seq - b.seq)
        .slice(0, limit)
        .map(openEntryOf),
    counts: () => {
      const counts = { accepted: 0, inflight: 0, retry: 0, delivered: 0, rejected: 0, dead: 0, discarded: 0 };
      let unfinished = 0;
      for (const { state, entries } of countByState.all()) {
        counts[state] = entries;
        unfinished += entries;
      }
      // Delivered are all entries that are in no other state. Counting five million delivered rows would take seconds.
      // The highest number is nearly the same: it also counts what retention has deleted.
      counts.delivered = (lastSeq.get()?.seq ?? 0) - unfinished;
      return counts;
    },
    deadCounts: () => countDead.all().map((row) => ({ ...row })),
    heldBy: (lane) => holder.get(lane)?.seq ?? null,
    lanesLike: (beginning, limit) => {
      const found: string[] = [];
      const end = `${beginning}\u{10ffff}`;
      // From lane to lane in the index: a lane may have thousands of entries, which need not be read.
      for (let next = firstLane.get(beginning, end); next !== undefined; next = nextLane.get(next.lane, end)) {
        if (found.push(next.lane) >= limit) break;
      }
      return found;
    },
  };
}

const stateCountRow = row({ state: entryRow.columns.state, entries: integer });
const deadCountRow = row({ target: text, reason: text, entries: integer });

function attemptOf(row: Row<typeof attemptRow>): AttemptRecord {
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

interface ListQuery {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Unfinished entries are listed by one query per state. Each follows the index and stops at the limit; a query for all
 * states would read and sort everything that waits, for every page.
 */
function listQueries(filter: EntryFilter, select: Select): readonly ListQuery[] {
  const { states } = filter;
  const isByLane = filter.lane !== undefined || filter.lanes !== undefined;
  if (isByLane || states === undefined || states.includes("delivered")) return [listQuery(filter, select, "")];
  return [...new Set(states)].map((state) =>
    listQuery({ ...filter, states: [state] }, select, "INDEXED BY entry_unfinished"),
  );
}

/** How rows are selected, with their bodies or without. */
interface Select {
  readonly whole: (index: string) => string;
  readonly brief: (index: string) => string;
}

/** Builds the query. Every filter is optional; the SQL texts are constants, and user input is bound. */
function listQuery(filter: EntryFilter, select: Select, index: "" | "INDEXED BY entry_unfinished"): ListQuery {
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
  // The condition of the index: finding unfinished entries among millions of delivered rows would take seconds.
  if (index !== "") where("state <> 'delivered'");
  const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const selected = filter.isBrief === true && filter.text === undefined ? select.brief : select.whole;
  return {
    sql: `${selected(index)}${condition} ORDER BY e.seq DESC LIMIT ?`,
    values: [...values, filter.limit],
  };
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");
