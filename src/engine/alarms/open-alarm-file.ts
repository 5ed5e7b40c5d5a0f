import type { Log } from "../../kit/log.ts";
import { integer, row, text } from "../../kit/sqlite/row.ts";
import {
  openSideDatabase,
  type SideDatabase,
  type SideDatabaseOptions,
  type SideFile,
} from "../../kit/sqlite/side-database.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import { type AlarmState, type Alert, alarmKey } from "./alarm.ts";

/** An alert waiting to be sent through one channel. */
export interface WaitingAlert {
  readonly row: number;
  readonly channel: string;
  readonly alert: Alert;
  readonly attempts: number;
  readonly nextAt: number;
}

export interface AlarmFile {
  readonly states: () => readonly AlarmState[];
  /** Stores all current states and the alerts that follow from them, in one transaction. */
  readonly store: (states: readonly AlarmState[], alerts: readonly Alert[], channels: readonly string[]) => void;
  /** The oldest alert of a channel. Alerts are sent in order, or "cleared" could arrive before "raised". */
  readonly first: (channel: string) => WaitingAlert | null;
  readonly postpone: (row: number, nextAt: number) => void;
  readonly remove: (row: number) => void;
  readonly waitingCount: () => number;
  readonly marks: () => ReadonlyMap<string, number>;
  readonly storeMarks: (marks: Iterable<readonly [name: string, at: number]>) => void;
  readonly close: () => void;
}

/** Limit of waiting alerts. Above it the oldest alerts are dropped, since newer ones are more useful. */
const mostWaiting = 1_000;

/** The columns of each table, by the table's name. */
export const alarmFileRows = {
  alarm: row({ key: text, state: text }),
  mark: row({ name: text, at: integer }),
  alert: row({ row: integer, channel: text, alert: text, attempts: integer, next_at: integer }),
};

export const alarmFile: SideFile = {
  name: "alarms.db",
  withoutIt: "alarms are raised again, and alerts that were not sent yet are lost",
  createTables: (database) =>
    database.exec(`CREATE TABLE IF NOT EXISTS alarm (key TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS mark (name TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS alert (row INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, alert TEXT NOT NULL,
        attempts INTEGER NOT NULL, next_at INTEGER NOT NULL) STRICT`),
};

/**
 * Opens the file that keeps the raised alarms, when each flow was last seen, and the alerts that are not sent yet. It
 * is a file of its own because the journal has only one writer.
 */
export function openAlarmFile(options: SideDatabaseOptions): AlarmFile {
  const database = openSideDatabase(alarmFile, options);
  const put = database.statement("INSERT OR REPLACE INTO alarm (key, state) VALUES (?, ?)");
  const drop = database.statement("DELETE FROM alarm WHERE key = ?");
  const queue = database.statement("INSERT INTO alert (channel, alert, attempts, next_at) VALUES (?, ?, 0, 0)");
  const cut = database.statement(
    "DELETE FROM alert WHERE row IN (SELECT row FROM alert ORDER BY row LIMIT max(0, (SELECT count(*) FROM alert) - ?))",
  );
  const first = database.query("SELECT * FROM alert WHERE channel = ? ORDER BY row LIMIT 1", alarmFileRows.alert);
  const later = database.statement("UPDATE alert SET attempts = attempts + 1, next_at = ? WHERE row = ?");
  const remove = database.statement("DELETE FROM alert WHERE row = ?");
  const count = database.query("SELECT count(*) AS waiting FROM alert", row({ waiting: integer }));
  const mark = database.statement("INSERT OR REPLACE INTO mark (name, at) VALUES (?, ?)");
  const stored = new Map(
    database
      .query("SELECT key, state FROM alarm", alarmFileRows.alarm)
      .all()
      .map(({ key, state }) => [key, state]),
  );

  const transaction = loggedTransaction(database, options.log);
  return {
    // Only the code below writes these rows.
    states: () => [...stored.values()].map((text) => JSON.parse(text) as AlarmState),
    store: (states, alerts, channels) => {
      const wanted = new Map(states.map((state) => [alarmKey(state), JSON.stringify(state)]));
      const changed = [...wanted].filter(([key, text]) => stored.get(key) !== text);
      const ended = [...stored.keys()].filter((key) => !wanted.has(key));
      if (changed.length === 0 && ended.length === 0 && alerts.length === 0) return;
      transaction(() => {
        for (const [key, text] of changed) put.run(key, text);
        for (const key of ended) drop.run(key);
        for (const alert of alerts) for (const channel of channels) queue.run(channel, JSON.stringify(alert));
        if (alerts.length > 0) cut.run(mostWaiting);
      });
      for (const [key, text] of changed) stored.set(key, text);
      for (const key of ended) stored.delete(key);
    },
    first: (channel) => {
      const found = first.get(channel);
      if (found === undefined) return null;
      const { row, alert, attempts, next_at: nextAt } = found;
      // Only `store` writes these rows.
      return { row, channel, alert: JSON.parse(alert) as Alert, attempts, nextAt };
    },
    postpone: (row, nextAt) => transaction(() => void later.run(nextAt, row)),
    remove: (row) => transaction(() => void remove.run(row)),
    waitingCount: () => count.get()?.waiting ?? 0,
    marks: () =>
      new Map(
        database
          .query("SELECT name, at FROM mark", alarmFileRows.mark)
          .all()
          .map(({ name, at }) => [name, at]),
      ),
    storeMarks: (marks) =>
      transaction(() => {
        for (const [name, at] of marks) mark.run(name, at);
      }),
    close: () => database.close(),
  };
}

/**
 * Runs work in a transaction and continues if it fails: a full disk must not stop the alarm that reports it. What
 * cannot be stored stays in memory until the next restart.
 */
function loggedTransaction(database: SideDatabase, log: Log) {
  return (work: () => void) => {
    try {
      wholeTransaction(database, work);
      // Not synced: after a power failure an alert may be sent twice.
      database.keepShort();
    } catch (error) {
      log.error({ err: error }, "alarms could not be stored");
    }
  };
}
