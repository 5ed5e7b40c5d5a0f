import { rmSync } from "node:fs";
import { type Salvaged, type SalvagedTable, salvageTables } from "../../../kit/sqlite/pages/salvage-tables.ts";
import type { RowKey, TreeHole } from "../../../kit/sqlite/pages/walk-tree.ts";
import { integer, row } from "../../../kit/sqlite/row.ts";
import { type Database, openDatabase } from "../../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../../kit/sqlite/whole-transaction.ts";
import { ownName } from "../../journal.ts";
import { hasJournal } from "../migrations.ts";
import { lanesIn } from "../tables/entry-columns.ts";
import { seqRow } from "../tables/journal-rows.ts";
import { parking } from "../tables/parking.ts";

/** Numbers of entries, first and last included. */
export interface EntryRange {
  readonly from: number;
  readonly to: number;
}

/** What the readable pages of a damaged database do not have. */
export interface SalvageLoss {
  readonly entries: readonly EntryRange[];
  /** Entries that are there, but whose content is not. */
  readonly contents: readonly EntryRange[];
  /** Those of them that were not delivered yet. They cannot be, and are skipped. */
  readonly skipped: readonly EntryRange[];
  /** Other tables, with where their rows are missing. */
  readonly tables: readonly LostRows[];
  /** Pages with rows that may belong to several tables, or to none. */
  readonly leftOutPages: number;
}

export interface LostRows {
  readonly table: string;
  readonly where: readonly string[];
  /** How many rows of there were found in other pages. */
  readonly found: number;
}

export type JournalSalvage = { readonly loss: SalvageLoss } | { readonly refused: string };

/** Without them, nobody knows which steps of an upgrade were done. */
const needed = new Set(["embedded_migration", "copy_position"]);

/**
 * Builds a journal from the rows that can be read, without the damaged pages. What can be computed from other rows is
 * computed; what cannot is named.
 */
export function salvageJournal(
  file: string,
  badPages: ReadonlySet<number>,
  { target, leastSeq, now }: { target: string; leastSeq: number; now: number },
): JournalSalvage {
  const result = salvageTables(file, badPages, target);
  const refused = "refused" in result ? result.refused : lackOf(result, target);
  if ("refused" in result || refused !== null) {
    rmSync(target, { force: true });
    return { refused: refused ?? "" };
  }
  const database = openDatabase(target, { isPrivate: true });
  try {
    const holes = new Map(result.holed.map((table) => [table.name, table]));
    let loss: Omit<SalvageLoss, "tables" | "leftOutPages"> = { entries: [], contents: [], skipped: [] };
    wholeTransaction(database, () => {
      loss = reconcile(database, holes, { leastSeq, now });
    });
    const tables = result.holed
      .filter(({ name }) => !computed.has(name))
      .map(({ name, holes: where, found }) => ({ table: name, where: where.slice(0, mostNamed).map(holeText), found }));
    return { loss: { ...loss, tables, leftOutPages: result.leftOutPages } };
  } finally {
    database.close();
  }
}

function lackOf({ holed }: Salvaged, target: string): string | null {
  if (!hasJournal(target)) return "it does not have the tables of a journal";
  const lacking = holed.find(({ name }) => needed.has(name));
  return lacking === undefined ? null : `its table ${lacking.name} is damaged`;
}

/** Reported by the numbers of their entries, or computed from other tables. */
const computed = new Set(["entry", "entry_body", "entry_lane", "parked_lane", "last_entry"]);
const mostNamed = 20;

interface Reconciling {
  readonly leastSeq: number;
  readonly now: number;
}

function reconcile(database: Database, holes: ReadonlyMap<string, SalvagedTable>, { leastSeq, now }: Reconciling) {
  const numbersOf = (sql: string, ...values: number[]) => database.query(sql, seqRow).all(...values);
  keepLastEntry(database, { isLaneLost: holes.has("lane"), leastSeq });
  const lastSeq = numbersOf("SELECT seq FROM last_entry")[0]?.seq ?? 0;
  database.exec("CREATE TEMP TABLE lost (seq INTEGER PRIMARY KEY)");
  noteLost(database, holes, lastSeq);
  const entries = rangesOf(database.statement("SELECT seq FROM lost ORDER BY seq").iterate());
  for (const table of ["entry_lane", "entry_body", "attempt", "entry_progress"]) {
    database.exec(`DELETE FROM ${table} WHERE seq NOT IN (SELECT seq FROM entry)`);
  }
  database.exec(`DELETE FROM parked_lane WHERE dead_seq NOT IN (SELECT seq FROM entry WHERE state = 'dead')
    OR seq NOT IN (SELECT seq FROM entry)`);
  if (holes.has("entry_lane")) fileAgain(database);
  const { contents, skipped } = skipWithoutContent(database, holes.get("entry_body")?.holes ?? [], now);
  if (["entry", "entry_lane", "parked_lane"].some((name) => holes.has(name))) parkAgain(database);
  database.exec("DROP TABLE temp.lost");
  return { entries, contents, skipped };
}

/** Numbers are not given twice, also if the row with the last one is lost. */
function keepLastEntry(database: Database, { isLaneLost, leastSeq }: { isLaneLost: boolean; leastSeq: number }): void {
  database
    .statement(
      "INSERT OR IGNORE INTO last_entry (one, seq, positions_up_to) SELECT 1, max(coalesce(max(seq), 0), ?), 0 FROM entry",
    )
    .run(leastSeq);
  // The positions are then read from the entries.
  if (isLaneLost) database.exec("UPDATE last_entry SET positions_up_to = 0");
}

/** An entry is in its lanes as long as it is there. If the lanes are damaged as well, every number may have been one. */
function noteLost(database: Database, holes: ReadonlyMap<string, SalvagedTable>, lastSeq: number): void {
  const known = ["entry_lane", "entry_body", "attempt"].map((table) => `SELECT seq FROM ${table}`).join(" UNION ");
  database.exec(`INSERT INTO temp.lost SELECT seq FROM (${known}) WHERE seq NOT IN (SELECT seq FROM entry)`);
  if (!holes.has("entry_lane")) return;
  const insert = database.statement(
    `WITH RECURSIVE number (seq) AS (SELECT ? UNION ALL SELECT seq + 1 FROM number WHERE seq < ?)
     INSERT OR IGNORE INTO temp.lost SELECT seq FROM number WHERE seq NOT IN (SELECT seq FROM entry)`,
  );
  for (const hole of holes.get("entry")?.holes ?? []) {
    const { from, to } = numbersIn(hole, lastSeq);
    if (from <= to) insert.run(from, to);
  }
}

const numbersIn = ({ after, upTo }: TreeHole, last: number): EntryRange => ({
  from: typeof after === "number" ? Math.max(1, after + 1) : 1,
  to: typeof upTo === "number" ? Math.min(upTo, last) : last,
});

function fileAgain(database: Database): void {
  const insert = database.statement("INSERT OR IGNORE INTO entry_lane (lane, key, seq) VALUES (?, ?, ?)");
  const entriesAfter = database.statement("SELECT seq, lanes FROM entry WHERE seq > ? ORDER BY seq LIMIT 1000");
  for (let after = 0; ; ) {
    const rows = entriesAfter.all(after);
    for (const { seq, lanes } of rows) {
      for (const [lane, , ...keys] of lanesIn(String(lanes))) {
        for (const key of keys) insert.run(lane, key ?? "", Number(seq));
      }
    }
    if (rows.length === 0) return;
    after = Number(rows.at(-1)?.["seq"] ?? 0);
  }
}

const finishedStates = "'delivered', 'rejected', 'discarded'";
const lostReason = "its content was lost with a damaged page of the database";

/** An entry without its content cannot be delivered. Retention erases only the content of finished ones. */
function skipWithoutContent(database: Database, holes: readonly TreeHole[], now: number) {
  const without = "NOT EXISTS (SELECT 1 FROM entry_body b WHERE b.seq = e.seq)";
  const open = `${without} AND e.state NOT IN (${finishedStates})`;
  database.exec(`CREATE TEMP TABLE unsent AS SELECT e.seq FROM entry e WHERE ${open}`);
  const audit = "INSERT INTO audit (seq, at, operator, action, reason, before)";
  database.statement(`${audit} SELECT seq, ?, ?, 'skip', ?, NULL FROM temp.unsent`).run(now, ownName, lostReason);
  database
    .statement(
      `UPDATE entry SET state = 'discarded', reason = ?, next_at = NULL, lease_token = NULL
       WHERE seq IN (SELECT seq FROM temp.unsent)`,
    )
    .run(lostReason);
  const skipped = rangesOf(database.statement("SELECT seq FROM temp.unsent ORDER BY seq").iterate());
  database.exec("DROP TABLE temp.unsent");
  const inHole = database.statement(
    `SELECT e.seq FROM entry e WHERE e.seq BETWEEN ? AND ? AND ${without} ORDER BY e.seq`,
  );
  const contents = holes.flatMap((hole) => {
    const { from, to } = numbersIn(hole, Number.MAX_SAFE_INTEGER);
    return rangesOf(inHole.iterate(from, to));
  });
  return { contents, skipped };
}

function parkAgain(database: Database): void {
  const rules = parking(database);
  const dead = database.query("SELECT seq FROM entry WHERE state = 'dead' AND supersedes IS NULL", seqRow).all();
  for (const { seq } of dead) rules.parkAgain(seq);
}

function rangesOf(rows: Iterable<readonly unknown[]>): EntryRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const [value] of rows) {
    const seq = Number(value);
    const last = ranges.at(-1);
    if (last !== undefined && last.to === seq - 1) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  return ranges;
}

function holeText({ after, upTo }: TreeHole): string {
  if (after === null && upTo === null) return "all rows";
  if (after === null) return `rows up to ${keyText(upTo)}`;
  return upTo === null ? `rows after ${keyText(after)}` : `rows after ${keyText(after)} up to ${keyText(upTo)}`;
}

const mostShown = 60;

function keyText(key: RowKey | null): string {
  const values = key === null || typeof key === "number" ? [key ?? 0] : key.slice(0, 3);
  const texts = values.map((value) => (value instanceof Uint8Array ? "…" : String(value ?? "")));
  return texts.join(" ").slice(0, mostShown);
}

const countRow = row({ found: integer });

/**
 * Whether the rows of every entry belong together. In a database of which a part is older than the rest, some do not,
 * though SQLite considers it intact.
 */
export function isConsistent(database: Database): boolean {
  const broken = [
    "SELECT count(*) AS found FROM (SELECT 1 FROM entry_body WHERE seq NOT IN (SELECT seq FROM entry) LIMIT 1)",
    "SELECT count(*) AS found FROM (SELECT 1 FROM entry_lane WHERE seq NOT IN (SELECT seq FROM entry) LIMIT 1)",
    `SELECT count(*) AS found FROM (SELECT 1 FROM entry e WHERE e.state NOT IN (${finishedStates})
       AND NOT EXISTS (SELECT 1 FROM entry_body b WHERE b.seq = e.seq) LIMIT 1)`,
    "SELECT count(*) AS found FROM (SELECT 1 FROM entry WHERE seq > (SELECT seq FROM last_entry) LIMIT 1)",
  ];
  return broken.every((sql) => database.query(sql, countRow).get()?.found === 0);
}
