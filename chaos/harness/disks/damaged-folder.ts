import { cpSync, existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { start } from "../../../src/app/start.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { openStoreGuard } from "../../../src/journal/sqlite/damage/store-guard.ts";
import { readWitness } from "../../../src/journal/sqlite/damage/witness.ts";
import { secrets } from "../checks/leak-in.ts";

/** The result of a start on a folder. */
export type Started =
  | { readonly refused: string }
  | {
      /** Every table of the journal and of the embedded store after the start. */
      readonly tables: ReadonlyMap<string, string>;
      /** The quarantine and the connector state. */
      readonly sideFiles: string;
      /** Warnings and errors of the log. */
      readonly notices: readonly string[];
      /** What the background check found; null if it found nothing, or if there was no background check. */
      readonly foundInBackground: string | null;
    };

/** Does only what every start does first with the journal's files, which is a hundredth of the work of a start. */
export async function checkOn(dataFolder: string): Promise<Started> {
  const databaseFile = join(dataFolder, "crossdock.db");
  try {
    // Small enough that most of what a test can write is left to the background check.
    const guard = openStoreGuard(databaseFile, { mostBytes: 16 * 4096 });
    let foundInBackground: string | null = null;
    await guard.checkRest((damage) => {
      foundInBackground = damage;
    }, 0);
    guard.close(() => {});
    // A damaged page is not read further: SQLite may not be able to read it.
    const tables = foundInBackground === null ? tablesOf(databaseFile) : new Map<string, string>();
    return { tables, sideFiles: "", notices: guard.notices, foundInBackground };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

/** Starts the adapter in this process on a data folder, reads everything, and stops it. */
export async function startOn(dataFolder: string): Promise<Started> {
  const notices: string[] = [];
  const note = (fields: object, text: string) => notices.push(`${text} ${JSON.stringify(fields)}`);
  const log = { debug: () => {}, info: () => {}, warn: note, error: note };
  const env = {
    PORT: "0",
    CROSSDOCK_API_KEY: secrets.apiKey,
    CROSSDOCK_SAMPLE: "false",
    CROSSDOCK_DATA_DIR: dataFolder,
  };
  const configFile = join(dirname(dataFolder), "alone.yaml");
  // No external system is configured, so that the entries are not delivered meanwhile.
  writeFileSync(configFile, "{}");
  const { config, settings, describe } = await loadConfig({ file: configFile, env, cwd: dirname(dataFolder) });
  try {
    const adapter = await start({ config, describe, settings: { ...settings, apiKey: secrets.apiKey }, log });
    try {
      return {
        tables: tablesOf(join(dataFolder, "crossdock.db")),
        sideFiles: sideFilesOf(dataFolder),
        notices,
        foundInBackground: null,
      };
    } finally {
      await adapter.close();
    }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

export function copyOf(folder: string, to: string): string {
  rmSync(to, { recursive: true, force: true });
  cpSync(folder, to, { recursive: true, preserveTimestamps: true });
  return to;
}

/** Sets the database's modification time back, as if the disk had changed it without any program writing to it. */
export function hideWriting(dataFolder: string): void {
  const databaseFile = join(dataFolder, "crossdock.db");
  const stamp = readWitness(databaseFile).witness?.stamp ?? null;
  if (stamp === null || !existsSync(databaseFile)) return;
  utimesSync(databaseFile, stamp.changedAtMs / 1000, stamp.changedAtMs / 1000);
}

/** Columns that are not compared. The last answer times may be missing although the entries are the same. */
const leftOut: Readonly<Record<string, string>> = { entry: "answered_at" };

function tablesOf(file: string): ReadonlyMap<string, string> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 60_000 });
  try {
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    return new Map(
      names.map(({ name }) => {
        const rows = database.prepare(`SELECT * FROM ${String(name)}`).all();
        const without = leftOut[String(name)];
        return [String(name), JSON.stringify(without === undefined ? rows : rows.map((row) => omit(row, without)))];
      }),
    );
  } finally {
    database.close();
  }
}

const omit = (row: object, name: string) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));

function sideFilesOf(dataFolder: string): string {
  const query = (file: string, sql: string): unknown => {
    if (!existsSync(join(dataFolder, file))) return null;
    const database = new DatabaseSync(join(dataFolder, file), { readOnly: true, timeout: 60_000 });
    try {
      return database.prepare(sql).all();
    } catch (error) {
      return String(error);
    } finally {
      database.close();
    }
  };
  return JSON.stringify([
    query("intake.db", "SELECT count(*) AS kept FROM quarantine"),
    query("notes.db", "SELECT count(*) AS noted FROM note"),
  ]);
}
