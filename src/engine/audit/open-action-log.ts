import type { personActions } from "../../contract/admin/admin-row.ts";
import { integer, nullable, row, text } from "../../kit/sqlite/row.ts";
import { openSideDatabase, type SideDatabaseOptions, type SideFile } from "../../kit/sqlite/side-database.ts";
import type { Clock } from "../../kit/time/clock.ts";

/** What a person changed outside the journal. Actions on an entry of the journal are recorded in the journal itself. */
export interface PersonDid {
  readonly operator: string;
  readonly action: (typeof personActions)[number];
  /** The connector, the record, the order, the settings or the channels; empty if there is only one thing it can be. */
  readonly subject: string;
  readonly reason: string | null;
}

export interface ActionLog {
  /** Resolves when the action is stored. */
  readonly add: (did: PersonDid) => Promise<void>;
  /** The newest first. */
  readonly list: (limit: number) => readonly (PersonDid & { readonly at: string })[];
  readonly close: () => void;
}

const mostKept = 10_000;

/** The columns of each table, by the table's name. */
export const actionFileRows = {
  action: row({ row: integer, at: integer, operator: text, action: text, subject: text, reason: nullable(text) }),
};

export const actionFile: SideFile = {
  name: "actions.db",
  withoutIt: "who paused systems and dropped records before is in the log only",
  createTables: (database) =>
    database.exec(`CREATE TABLE IF NOT EXISTS action (row INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
      operator TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL, reason TEXT) STRICT`),
};

/**
 * Opens the log of who paused systems, dropped or retried records, took support bundles, tested alarms, changed the
 * configuration or started a tool. It is a file of its own because the journal has only one writer.
 */
export function openActionLog(needs: SideDatabaseOptions & { readonly clock: Clock }): ActionLog {
  const database = openSideDatabase(actionFile, needs);
  const insert = database.statement(
    "INSERT INTO action (at, operator, action, subject, reason) VALUES (?, ?, ?, ?, ?)",
  );
  const cut = database.statement("DELETE FROM action WHERE row <= (SELECT max(row) FROM action) - ?");
  const newest = database.query("SELECT * FROM action ORDER BY row DESC LIMIT ?", actionFileRows.action);
  return {
    add: async ({ operator, action, subject, reason }) => {
      insert.run(needs.clock.now(), operator, action, subject, reason);
      cut.run(mostKept);
      await database.stored();
    },
    list: (limit) =>
      newest.all(limit).map(({ at, operator, action, subject, reason }) => ({
        at: new Date(at).toISOString(),
        operator,
        // Only `add` writes these rows.
        action: action as PersonDid["action"],
        subject,
        reason,
      })),
    close: () => database.close(),
  };
}
