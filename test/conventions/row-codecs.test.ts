import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alarmFileRows, openAlarmFile } from "../../src/engine/alarms/open-alarm-file.ts";
import { actionFileRows, openActionLog } from "../../src/engine/audit/open-action-log.ts";
import { answerRow, listedOrderRow, listedPartRow, listRow } from "../../src/engine/fallback/fallback-tables.ts";
import { openFallbackFile } from "../../src/engine/fallback/open-fallback-file.ts";
import { figureFileRows, openFigures } from "../../src/engine/figures/open-figures.ts";
import { knownRecordRow, overruledUntilRow } from "../../src/engine/quarantine/open-known-records.ts";
import { openIntakeFile } from "../../src/engine/quarantine/open-quarantine.ts";
import { decisionRow, quarantineRow } from "../../src/engine/quarantine/quarantine-row.ts";
import { migrate as migrateJournal } from "../../src/journal/sqlite/migrations.ts";
import { journalRows } from "../../src/journal/sqlite/tables/journal-rows.ts";
import { silentLog as log } from "../../src/kit/log.ts";
import { type Columns, integer, type RowCodec, row, text } from "../../src/kit/sqlite/row.ts";
import { type Database, openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { manualClock } from "../../src/kit/time/clock.ts";
import { manualTimers } from "../../src/kit/time/timers.ts";
import { connectorStates, noteRow } from "../../src/runtime/connector-state.ts";
import { openSeenIds, takenRow } from "../../src/server/auth/open-seen-ids.ts";
import { migrate as migrateStore } from "../../src/store/schema.ts";
import { storeRows } from "../../src/store/store-rows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const tableRow = row({ name: text });
const columnRow = row({ name: text, type: text, notnull: integer, pk: integer });

/** The columns as SQLite knows them. In a STRICT table a primary key is never null. */
function columnsIn(database: Database, table: string) {
  const found = database.query(`SELECT name, type, "notnull", pk FROM pragma_table_info('${table}')`, columnRow).all();
  return Object.fromEntries(
    found.map(({ name, type, notnull, pk }) => [name, { type, isNullable: notnull === 0 && pk === 0 }]),
  );
}

const columnsOf = ({ columns }: RowCodec<Columns>) =>
  Object.fromEntries(Object.entries(columns).map(([name, { type, isNullable }]) => [name, { type, isNullable }]));

function compare(database: Database, codecs: Readonly<Record<string, RowCodec<Columns>>>): void {
  const tables = database
    .query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", tableRow)
    .all();
  expect(Object.keys(codecs).sort()).toEqual(tables.map(({ name }) => name).sort());
  for (const [name, codec] of Object.entries(codecs)) expect(columnsOf(codec), name).toEqual(columnsIn(database, name));
  database.close();
}

test("every table of the journal and of the store has a codec with its columns, their types and which may be null", () => {
  const database = openDatabase(":memory:");
  migrateJournal(database);
  migrateStore(database);
  compare(database, { ...journalRows, ...storeRows });
});

test("so has every table of the files beside the journal", async () => {
  const dataFolder = join(temporaryFolder(), "data");
  mkdirSync(dataFolder);
  const clock = manualClock();
  const timers = manualTimers(clock);
  openAlarmFile({ dataFolder, log }).close();
  openActionLog({ dataFolder, clock, log }).close();
  openFigures({ dataFolder, clock, timers, log }).close();
  openFallbackFile({ dataFolder, timers, log }).close();
  openIntakeFile({ dataFolder, clock, timers, log }).close();
  const states = connectorStates({ dataFolder, log });
  await states.of("erp").write("key", "text");
  states.close();
  openSeenIds({ dataFolder, clock, timers, log }).close();

  const files: Record<string, Record<string, RowCodec<Columns>>> = {
    "actions.db": actionFileRows,
    "alarms.db": alarmFileRows,
    "figures.db": figureFileRows,
    "fallback.db": { list: listRow, listed_order: listedOrderRow, listed_part: listedPartRow, answer: answerRow },
    "intake.db": {
      ...{ quarantine: quarantineRow, quarantine_decision: decisionRow },
      ...{ seen: knownRecordRow, overruled_until: overruledUntilRow },
    },
    "notes.db": { note: noteRow },
    "senders.db": { taken: takenRow },
  };
  for (const [file, codecs] of Object.entries(files)) compare(openDatabase(join(dataFolder, file)), codecs);
});
