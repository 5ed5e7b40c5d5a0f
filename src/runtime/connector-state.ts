import { existsSync } from "node:fs";
import { join } from "node:path";
import { pick, row, text } from "../kit/sqlite/row.ts";
import {
  openSideDatabase,
  type SideDatabase,
  type SideDatabaseOptions,
  type SideFile,
  wasOpened,
} from "../kit/sqlite/side-database.ts";
import type { ConnectorState, OpenContext } from "../sdk/connector.ts";

export interface ConnectorStates {
  readonly of: (connector: string) => ConnectorState;
  readonly close: () => void;
}

/** What every connector is opened with; each connector also gets its own state. */
export type Opening = Omit<OpenContext, "connectorState"> & { readonly connectorStates: Pick<ConnectorStates, "of"> };

/** The columns of its table. */
export const noteRow = row({ connector: text, key: text, text });
const textRow = pick(noteRow, "text");

export const noteFile: SideFile = {
  name: "notes.db",
  withoutIt: "connectors restart their polls from the beginning",
  createTables: (database) =>
    database.exec(`CREATE TABLE IF NOT EXISTS note (connector TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY (connector, key)) STRICT, WITHOUT ROWID`),
};

/** Opens what connectors store for the next start. It is a file of its own because the journal has only one writer. */
export function connectorStates(options: SideDatabaseOptions): ConnectorStates {
  let opened: SideDatabase | undefined;
  // Created at the first write: most deployments need no connector state.
  const database = () => {
    opened ??= openSideDatabase(noteFile, options);
    return opened;
  };
  // An existing file is opened at once, so that damage is reported at the start and not at the first read.
  const file = join(options.dataFolder, noteFile.name);
  if (existsSync(file) || wasOpened(file)) database();
  return {
    of: (connector) => ({
      read: (key) =>
        database().query("SELECT text FROM note WHERE connector = ? AND key = ?", textRow).get(connector, key)?.text,
      write: async (key, text) => {
        database()
          .statement("INSERT OR REPLACE INTO note (connector, key, text) VALUES (?, ?, ?)")
          .run(connector, key, text);
        await database().stored();
      },
    }),
    close: () => opened?.close(),
  };
}
