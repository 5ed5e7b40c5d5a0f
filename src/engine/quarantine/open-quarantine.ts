import { hash } from "node:crypto";
import type { Log } from "../../kit/log.ts";
import { integer, pick, type Row, row, text } from "../../kit/sqlite/row.ts";
import {
  openSideDatabase,
  type SideDatabase,
  type SideDatabaseOptions,
  type SideFile,
} from "../../kit/sqlite/side-database.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import type { MaskSecrets } from "../../operation/record-sent.ts";
import { createKnownRecordsTable, type KnownRecords, openKnownRecords } from "./open-known-records.ts";
import type { BadRecord, Quarantine, QuarantineFilter } from "./quarantine.ts";
import { listedRow, quarantineRow, recordOf, rowOf } from "./quarantine-row.ts";

export interface QuarantineNeeds {
  readonly database: SideDatabase;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Removes every secret of the configuration from a text. */
  readonly maskSecrets?: MaskSecrets | undefined;
  readonly maxRecords?: number;
}

const maxDecisions = 10_000;
/** When more records than this wait, they are written at once, so that memory stays bounded. */
const maxPending = 200;
const maxKeyLength = 200;

const columns = Object.keys(listedRow.columns).join(", ");
const content = pick(quarantineRow, "raw", "is_raw_cut", "source_record", "is_source_record_cut").columns;
const shownRow = row({ ...listedRow.columns, ...content });
const shownColumns = Object.keys(shownRow.columns).join(", ");
const keyRow = pick(quarantineRow, "source", "kind", "key");
const totalRow = row({ total: integer });

/** Opens the quarantine, a table in the side file with a limit: the least recently seen records are dropped first. */
export function openQuarantine({
  database,
  clock,
  timers,
  log,
  maskSecrets,
  maxRecords = 10_000,
}: QuarantineNeeds): Quarantine {
  const upsert = database.statement(
    `INSERT INTO quarantine (source, kind, key, number, origin, problems, problem_count, fix, raw, is_raw_cut,
       source_record, is_source_record_cut, first_seen_at, last_seen_at, count)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (source, kind, key) DO UPDATE SET origin = excluded.origin, problems = excluded.problems,
       problem_count = excluded.problem_count, fix = excluded.fix, raw = excluded.raw, is_raw_cut = excluded.is_raw_cut,
       source_record = excluded.source_record, is_source_record_cut = excluded.is_source_record_cut,
       last_seen_at = excluded.last_seen_at, count = count + excluded.count`,
  );
  const removeByKey = database.statement("DELETE FROM quarantine WHERE source = ? AND kind = ? AND key = ?");
  const removeOldest = database.query(
    `DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine ORDER BY last_seen_at, id
       LIMIT max(0, (SELECT count(*) FROM quarantine) - ?)) RETURNING source, kind, key`,
    keyRow,
  );
  /**
   * The keys of the stored records, so that the many good records need no look-up in the file. The limit of records
   * bounds them too.
   */
  const stored = new Set(database.query("SELECT source, kind, key FROM quarantine", keyRow).all().map(storedKey));
  const pending = new Map<string, { bad: BadRecord; key: string; firstAt: number; lastAt: number; count: number }>();
  let isScheduled = false;
  let lost = 0;

  const keep = (bad: BadRecord): boolean => {
    const key = keyOf(bad);
    const name = storedKey({ source: bad.source, kind: bad.kind, key });
    const now = clock.now();
    const earlier = pending.get(name);
    const isNew = earlier === undefined && !stored.has(name);
    pending.set(name, {
      ...{ bad, key, lastAt: now, firstAt: earlier?.firstAt ?? now },
      count: (earlier?.count ?? 0) + 1,
    });
    if (pending.size >= maxPending) flush();
    else if (!isScheduled) {
      isScheduled = true;
      timers.soon(() => {
        isScheduled = false;
        flush();
      });
    }
    return isNew;
  };

  const flush = () => {
    if (pending.size === 0) return;
    const waiting = [...pending];
    pending.clear();
    const isStored = transaction(() => {
      for (const [, { bad, key, firstAt, lastAt, count }] of waiting) {
        upsert.run(bad.source, bad.kind, key, ...rowOf(bad, maskSecrets), firstAt, lastAt, count);
      }
    });
    if (!isStored) {
      lost += waiting.length;
      return;
    }
    for (const [name] of waiting) stored.add(name);
    if (stored.size <= maxRecords) return;
    let removed: readonly Row<typeof keyRow>[] = [];
    const isCut = transaction(() => {
      removed = removeOldest.all(maxRecords);
    });
    if (isCut) for (const row of removed) stored.delete(storedKey(row));
  };

  /**
   * A failed write is only logged, because a full disk must not stop the queries that find bad orders: those come again
   * with the next answer. Who takes in records asks for `lostCount` and does not go on.
   */
  const transaction = (work: () => void): boolean => {
    try {
      wholeTransaction(database, work);
      database.keepShort();
      return true;
    } catch (error) {
      log.error({ err: error }, "the quarantine could not be written");
      return false;
    }
  };

  const show = (id: number) => {
    flush();
    const row = database.query(`SELECT ${shownColumns} FROM quarantine WHERE id = ?`, shownRow).get(id);
    if (row === undefined) return null;
    return {
      ...{ ...recordOf(row), raw: row.raw, isRawCut: row.is_raw_cut === 1 },
      ...{ sourceRecord: row.source_record, isSourceRecordCut: row.is_source_record_cut === 1 },
    };
  };

  return {
    keep,
    flush,
    holds: (source, kind, number) => {
      // The common case: a list of ten thousand good orders costs nothing here.
      if (number === "" || (stored.size === 0 && pending.size === 0)) return false;
      const name = storedKey({ source, kind, key: keyOf({ number, raw: null }) });
      return stored.has(name) || pending.has(name);
    },
    release: (source, kind, number) => {
      const key = keyOf({ number, raw: null });
      const name = storedKey({ source, kind, key });
      pending.delete(name);
      if (!stored.has(name)) return;
      if (transaction(() => void removeByKey.run(source, kind, key))) stored.delete(name);
    },
    list: (filter) => {
      flush();
      const { condition, values } = where(filter);
      const total = database.query(`SELECT count(*) AS total FROM quarantine ${condition}`, totalRow);
      const page = database.query(
        `SELECT ${columns} FROM quarantine ${condition} AND id < ? ORDER BY id DESC LIMIT ?`,
        listedRow,
      );
      const rows = page.all(...values, filter.before ?? Number.MAX_SAFE_INTEGER, filter.limit + 1);
      const records = rows.slice(0, filter.limit).map(recordOf);
      return {
        records,
        total: total.get(...values)?.total ?? 0,
        nextBefore: rows.length > filter.limit ? (records.at(-1)?.id ?? null) : null,
      };
    },
    show,
    drop: (id, { operator, reason }) => {
      const found = show(id);
      if (found === null) return null;
      const { source, kind, number, problems } = found;
      const key =
        database.query("SELECT key FROM quarantine WHERE id = ?", pick(quarantineRow, "key")).get(id)?.key ?? "";
      // A failure is thrown: the operator must not read that the record is gone.
      wholeTransaction(database, () => {
        database
          .statement(
            "INSERT INTO quarantine_decision (at, operator, reason, source, kind, number, problems) VALUES (?, ?, ?, ?, ?, ?, ?)",
          )
          .run(clock.now(), operator, reason, source, kind, number, JSON.stringify(problems));
        database
          .statement("DELETE FROM quarantine_decision WHERE id <= (SELECT max(id) FROM quarantine_decision) - ?")
          .run(maxDecisions);
        removeByKey.run(source, kind, key);
      });
      database.keepShort();
      stored.delete(storedKey({ source, kind, key }));
      log.warn({ source, kind, number, operator, reason }, "a record was dropped from quarantine");
      return found;
    },
    count: () => {
      flush();
      return stored.size;
    },
    lostCount: () => lost,
  };
}

const storedKey = ({ source, kind, key }: Row<typeof keyRow>) => JSON.stringify([source, kind, key]);

/** Without a number the content is the key: two different records must not hide each other. */
const keyOf = ({ number, raw }: Pick<BadRecord, "number" | "raw">) => {
  if (number === "") return `\u0000${hash("sha256", JSON.stringify(raw) ?? "", "base64url")}`;
  return number.length > maxKeyLength ? `\u0001${hash("sha256", number, "base64url")}` : number;
};

function where({ source, kind, number }: QuarantineFilter): { condition: string; values: string[] } {
  const given = Object.entries({ source, kind, number }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  // The column names are the three of this line; only values come from a user, and they are bound.
  const conditions = given.map(([name]) => `${name} = ?`);
  return { condition: `WHERE ${["1", ...conditions].join(" AND ")}`, values: given.map(([, value]) => value) };
}

export interface IntakeFile {
  readonly quarantine: Quarantine;
  readonly knownRecords: KnownRecords;
  /** Resolves when all changes made until now are stored. */
  readonly stored: () => Promise<void>;
  readonly close: () => void;
}

export const intakeFile: SideFile = {
  name: "intake.db",
  withoutIt: "quarantined records are lost until they are sent again; records seen before are taken in once more",
  createTables: (database) => {
    createQuarantineTables(database);
    createKnownRecordsTable(database);
  },
};

function createQuarantineTables(database: Database): void {
  database.exec(`CREATE TABLE IF NOT EXISTS quarantine (
      id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
      number TEXT NOT NULL, origin TEXT NOT NULL, problems TEXT NOT NULL, problem_count INTEGER NOT NULL, fix TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL, count INTEGER NOT NULL, raw TEXT NOT NULL,
      is_raw_cut INTEGER NOT NULL, UNIQUE (source, kind, key)) STRICT;
    CREATE INDEX IF NOT EXISTS quarantine_by_last_seen ON quarantine (last_seen_at);
    CREATE TABLE IF NOT EXISTS quarantine_decision (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, operator TEXT NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL,
      kind TEXT NOT NULL, number TEXT NOT NULL, problems TEXT NOT NULL) STRICT`);
  const names = database.query("SELECT name FROM pragma_table_info('quarantine')", row({ name: text })).all();
  if (names.some(({ name }) => name === "source_record")) return;
  // Earlier versions did not keep the record of the external system.
  database.exec(`ALTER TABLE quarantine ADD COLUMN source_record TEXT;
    ALTER TABLE quarantine ADD COLUMN is_source_record_cut INTEGER NOT NULL DEFAULT 0`);
}

/**
 * Opens the file with quarantined records and seen records. It is a separate file because the journal has only one
 * writer.
 */
export function openIntakeFile(
  needs: SideDatabaseOptions & Pick<QuarantineNeeds, "clock" | "timers" | "maskSecrets">,
): IntakeFile {
  const database = openSideDatabase(intakeFile, needs);
  const quarantine = openQuarantine({ ...needs, database });
  const knownRecords = openKnownRecords({ ...needs, database });
  return {
    quarantine,
    knownRecords,
    stored: database.stored,
    close: () => {
      quarantine.flush();
      database.close();
    },
  };
}
