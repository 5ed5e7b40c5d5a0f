import type { DatabaseSync, Session } from "node:sqlite";
import type { SqlValue } from "../row.ts";
import { type ChangesetSection, changesetSection, type RecordedTable } from "./changeset-section.ts";
import { isStoredAsGiven, type PlainTable } from "./plain-table.ts";
import {
  type InsertedRow,
  type RereadRows,
  type Row,
  type RowChange,
  rowChangeOf,
  type UpdatedRows,
} from "./row-change.ts";

/** Records the changes of one transaction at a time. */
export interface TransactionRecorder {
  readonly begin: () => void;
  /** Runs a statement that may change rows, and records them. Only between `begin` and `end`. */
  readonly run: <Done extends { readonly changes: number }>(
    sql: string,
    values: readonly SqlValue[],
    statement: () => Done,
  ) => Done;
  /** Call this before anything else that may change rows. */
  readonly leaveToSqlite: () => void;
  readonly isRecording: () => boolean;
  /** Empty if nothing was changed. */
  readonly changeset: () => Uint8Array;
  readonly end: () => void;
}

/**
 * SQLite's own recording prepares several statements for every table of every transaction and reads every row again,
 * which takes longer than storing an event does. So rows of plain statements are written down here, and few rows of
 * others are read before and after them. From the first statement on of which only SQLite knows what it does, SQLite
 * records the rest of the transaction.
 */
export function transactionRecorder(driver: DatabaseSync): TransactionRecorder {
  /** By the text of the statement; null: only SQLite knows what it changes. */
  const known = new Map<string, RowChange | null>();
  const sections = new Map<string, ChangesetSection>();
  /** The version of the tables that both belong to. */
  let schemaVersion: unknown;
  let isSchemaKnown = false;
  let version: ReturnType<DatabaseSync["prepare"]> | null = null;
  let isRecording = false;
  let session: Session | null = null;

  const leaveToSqlite = () => {
    if (isRecording) session ??= driver.createSession();
  };
  /** Within the transaction, where the tables cannot be changed by others any more. */
  const checkSchema = () => {
    isSchemaKnown = true;
    version ??= driver.prepare("PRAGMA schema_version");
    const found = version.get()?.["schema_version"];
    if (found === schemaVersion) return;
    known.clear();
    sections.clear();
    schemaVersion = found;
  };
  const changeOf = (sql: string): RowChange | null => {
    if (!isSchemaKnown) checkSchema();
    let change = known.get(sql);
    if (change === undefined) {
      change = rowChangeOf(driver, sql);
      known.set(sql, change);
    }
    return change;
  };
  const sectionOf = (table: RecordedTable): ChangesetSection => {
    let section = sections.get(table.name);
    if (section === undefined) {
      section = changesetSection(table);
      sections.set(table.name, section);
    }
    return section;
  };
  const end = () => {
    isRecording = false;
    session?.close();
    session = null;
    for (const section of sections.values()) section.clear();
  };

  return {
    begin: () => {
      end();
      isRecording = true;
      isSchemaKnown = false;
    },
    run: (sql, values, statement) => {
      const change = session === null ? changeOf(sql) : null;
      const row = change?.kind === "insert" ? insertedRow(change, values) : null;
      if (change !== null && row !== null) {
        const done = statement();
        sectionOf(change.table).insert(row);
        return done;
      }
      const updates = change?.kind === "update" ? updatedRows(change, values) : null;
      if (change !== null && updates !== null) {
        const done = statement();
        if (done.changes !== updates.length) throw new Error(`${updates.length} rows expected to change: ${sql}`);
        for (const update of updates) writeUpdate(sectionOf(change.table), update);
        return done;
      }
      const found = change?.kind === "reread" ? change.rowsBefore(values) : null;
      if (change?.kind === "reread" && found !== null) {
        const done = statement();
        if (done.changes > found.length) throw new Error(`${found.length} rows expected to change: ${sql}`);
        for (const { key, row: before } of found) {
          writeReread(sectionOf(change.table), change, before, change.rowAfter(key));
        }
        return done;
      }
      leaveToSqlite();
      return statement();
    },
    leaveToSqlite,
    isRecording: () => isRecording,
    changeset: () => {
      // SQLite's part is the later one.
      const parts = [...sections.values()].map((section) => section.bytes());
      return joined(session === null ? parts : [...parts, session.changeset()]);
    },
    end,
  };
}

/** In memory of its own, so that it can be handed over to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** Returns the whole row; null if a value may be stored in another form. */
function insertedRow({ table, sources }: InsertedRow, values: Row): Row | null {
  const row: SqlValue[] = [];
  for (let index = 0; index < table.columns.length; index++) {
    const column = table.columns[index];
    const from = sources[index] ?? -1;
    const value = from === -1 ? column?.otherwise : values[from];
    if (column === undefined || value === undefined || !isStoredAsGiven(column, value)) return null;
    // SQLite gives such a row a number, or does not record it.
    if (value === null && table.keyPositions[index] !== 0) return null;
    row.push(value);
  }
  return row;
}

/** A row before and after. Undefined: the column is not changed, and not of the key. */
interface Update {
  readonly before: readonly (SqlValue | undefined)[];
  readonly after: readonly (SqlValue | undefined)[];
  readonly isSame: boolean;
}

/** Returns the rows that an update changes; null if a value may be stored in another form. */
function updatedRows({ table, changed, read, rowsBefore }: UpdatedRows, values: Row): readonly Update[] | null {
  const isPlain = changed.every((index, nth) => isStored(table, index, values[nth]));
  if (!isPlain) return null;
  try {
    return rowsBefore(values.slice(changed.length)).map((found) =>
      updateOf(table, read, found, [...found.slice(0, table.key.length), ...values]),
    );
  } catch {
    // Such as a number that JavaScript cannot hold.
    return null;
  }
}

const isStored = (table: PlainTable, index: number, value: SqlValue | undefined): boolean => {
  const column = table.columns[index];
  return column !== undefined && value !== undefined && isStoredAsGiven(column, value);
};

/** Compares the values of the columns that were read, of which those of the key come first. */
function updateOf(table: PlainTable, read: readonly number[], old: Row, now: Row): Update {
  const before: (SqlValue | undefined)[] = table.columns.map(() => undefined);
  const after = [...before];
  let isSame = true;
  for (let nth = 0; nth < read.length; nth++) {
    const index = read[nth] ?? 0;
    const was = old[nth] ?? null;
    const is = now[nth] ?? null;
    const isChanged = !isEqual(was, is);
    if (isChanged || nth < table.key.length) before[index] = was;
    if (!isChanged) continue;
    after[index] = is;
    isSame = false;
  }
  return { before, after, isSame };
}

function writeUpdate(section: ChangesetSection, { before, after, isSame }: Update): void {
  if (!isSame) section.update(before, after);
}

function writeReread(
  section: ChangesetSection,
  { table, read }: RereadRows,
  before: Row | null,
  after: Row | null,
): void {
  if (after === null) {
    if (before !== null) throw new Error(`a row of ${table.name} is missing after it was written`);
  } else if (before === null) section.insert(table.columns.map((_, index) => after[read.indexOf(index)] ?? null));
  else writeUpdate(section, updateOf(table, read, before, after));
}

const isEqual = (one: SqlValue, other: SqlValue): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other;
