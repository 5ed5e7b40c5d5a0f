import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../kit/log.ts";
import { pick, row, text } from "../kit/sqlite/row.ts";
import { openSideDatabase, wasOpened } from "../kit/sqlite/side-database.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import type { ConnectorState } from "../sdk/connector.ts";

export interface ConnectorStates {
  readonly of: (connector: string) => ConnectorState;
  readonly close: () => void;
}

/** The rows of its table. */
export const noteRow = row({ connector: text, key: text, text });
const textRow = pick(noteRow, "text");

/** What connectors note down for the next start. A file of its own: the journal has one writer, and it is not us. */
export function connectorStates(dataFolder: string, log: Log): ConnectorStates {
  let opened: Database | undefined;
  // Opened at the first note: most adapters have none.
  const database = () => {
    if (opened === undefined) {
      opened = openSideDatabase({
        ...{ file: join(dataFolder, "notes.db"), log },
        withoutIt: "connectors begin their polls anew",
      });
      opened.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      opened.exec(
        "CREATE TABLE IF NOT EXISTS note (connector TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (connector, key)) STRICT, WITHOUT ROWID",
      );
    }
    return opened;
  };
  // At once where there is one: a damage is told at the start, not when a connector happens to look.
  if (existsSync(join(dataFolder, "notes.db")) || wasOpened(join(dataFolder, "notes.db"))) database();
  return {
    of: (connector) => ({
      read: (key) =>
        database().query("SELECT text FROM note WHERE connector = ? AND key = ?", textRow).get(connector, key)?.text,
      write: async (key, text) => {
        database()
          .statement("INSERT OR REPLACE INTO note (connector, key, text) VALUES (?, ?, ?)")
          .run(connector, key, text);
      },
    }),
    close: () => opened?.close(),
  };
}
