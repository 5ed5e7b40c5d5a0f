import type { DatabaseSync, Session } from "node:sqlite";
import type { SqlValue } from "../row.ts";
import { type ChangesetSection, changesetSection, type RecordedTable } from "./changeset-section.ts";
import { isStoredAsGiven, type PlainTable, type RowChange, rowChangeOf } from "./row-change.ts";

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
 * which takes longer than storing an event does. So rows of plain statements are written down here, as long as a
 * transaction has no others. From its first other statement on, SQLite records the rest.
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
        for (const { before, after, isSame } of updates) if (!isSame) sectionOf(change.table).update(before, after);
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
function insertedRow(
  { table, sources }: Extract<RowChange, { kind: "insert" }>,
  values: readonly SqlValue[],
): readonly SqlValue[] | null {
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

interface UpdatedRow {
  readonly before: readonly (SqlValue | undefined)[];
  readonly after: readonly (SqlValue | undefined)[];
  readonly isSame: boolean;
}

/** Returns the rows that an update changes; null if a value may be stored in another form. */
function updatedRows(
  { table, changed, key, rowsBefore }: Extract<RowChange, { kind: "update" }>,
  values: readonly SqlValue[],
): readonly UpdatedRow[] | null {
  const isPlain = changed.every((index, nth) => isStored(table, index, values[nth]));
  if (!isPlain) return null;
  try {
    return rowsBefore(values.slice(changed.length)).map((found) => updatedRow({ table, changed, key }, values, found));
  } catch {
    // Such as a number that JavaScript cannot hold.
    return null;
  }
}

const isStored = (table: PlainTable, index: number, value: SqlValue | undefined): boolean => {
  const column = table.columns[index];
  return column !== undefined && value !== undefined && isStoredAsGiven(column, value);
};

function updatedRow(
  { table, changed, key }: Pick<Extract<RowChange, { kind: "update" }>, "table" | "changed" | "key">,
  values: readonly SqlValue[],
  found: readonly SqlValue[],
): UpdatedRow {
  const before: (SqlValue | undefined)[] = table.columns.map(() => undefined);
  const after = [...before];
  let isSame = true;
  for (const [nth, index] of key.entries()) before[index] = found[nth];
  for (const [nth, index] of changed.entries()) {
    const old = found[key.length + nth] ?? null;
    const value = values[nth];
    if (isEqual(old, value)) continue;
    isSame = false;
    before[index] = old;
    after[index] = value;
  }
  return { before, after, isSame };
}

const isEqual = (one: SqlValue, other: SqlValue | undefined): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other;
