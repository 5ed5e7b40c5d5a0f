import { row, text } from "../../src/kit/sqlite/row.ts";
import { repeatRule, sayingRule } from "../../src/engine/events/repeat-rule.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { newId } from "../../src/kit/ids.ts";
import { type Database, openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { lanesOfEvent } from "../../src/operation/lane.ts";
import { placement, placementsPerOrder } from "./placement.ts";

const topic = "confirmPutWallPlacement";
const sampleOrder = "DONE-00000000";
/** Where an order's events leave rows, in the journal and in the books. */
const tables = ["entry", "entry_body", "entry_lane", "lane", "attempt", "quantity"] as const;

/** Takes the events of one order the whole way, so that what is multiplied is what the journal itself has written. */
export async function deliverSample(journal: Journal): Promise<void> {
  for (let turn = 0; turn < placementsPerOrder; turn++) {
    const input = { ...placement(0, turn), workOrderNumber: sampleOrder };
    const repeat = repeatRule(topic, sayingRule(topic, input), { windowMs: 900_000, idempotencyKey: undefined });
    const receivedAt = systemClock.now();
    const told = { body: JSON.stringify(input), payload: null, acceptLanguage: "de-DE,de;q=0.9", receivedAt };
    const delivery = { lanes: lanesOfEvent(topic, input), handling: "queue", target: "receiver" } as const;
    const entry = { id: `evt_${newId(systemClock)}`, direction: "out", topic, ...told, ...delivery } as const;
    const [appended] = await journal.append([{ ...entry, repeat }]);
    if (appended === undefined || !("seq" in appended)) throw new Error("the sample was taken for a repeat");
    const { seq } = appended;
    journal.markAnswered(seq, receivedAt);
    const token = `lease-${seq}`;
    await journal.start(seq, token);
    const attempt = { startedAt: receivedAt, endedAt: systemClock.now(), status: 204 };
    const { done } = await journal.settle({ seq, token }, { state: "delivered" }, attempt);
    if (!done) throw new Error("the sample could not be settled");
  }
  // Nothing is as old; but before anything is erased, the lanes get their last positions, which are multiplied too.
  await journal.prune({ bodiesBefore: 0, entriesBefore: 0, batch: 1 });
}

/** Copies all rows under other numbers, directly in the file: millions of events one by one would take far longer than the measurement. */
export function multiplySample(databaseFile: string, entries: number): void {
  const database = openDatabase(databaseFile);
  // Nothing to lose: a store that is not finished is thrown away.
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN");
  const copies = Math.ceil(entries / placementsPerOrder) - 1;
  for (const table of tables) multiply(database, table, copies);
  database.exec(
    `UPDATE last_entry SET (seq, positions_up_to) = (SELECT max(seq), max(seq) FROM entry);
     COMMIT; PRAGMA journal_mode = WAL`,
  );
  database.close();
}

function multiply(database: Database, table: (typeof tables)[number], copies: number): void {
  const columns = database.query(`PRAGMA table_info(${table})`, row({ name: text, type: text })).all();
  const values = columns.map(({ name, type }) => {
    if (name === "seq") return `seq + nth * ${placementsPerOrder}`;
    if (name === "id" && type === "INTEGER") return `id + nth * (SELECT max(id) FROM sample_${table})`;
    // Ids rise with time: these are older than all that are to come.
    if (name === "id") return `printf('evt_00000000-0000-7000-8000-%012x', seq + nth * ${placementsPerOrder})`;
    return type === "TEXT" ? `replace(${name}, '${sampleOrder}', printf('DONE-%08d', nth))` : name;
  });
  database.exec(
    `CREATE TEMP TABLE sample_${table} AS SELECT * FROM ${table};
     INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")})
       WITH RECURSIVE copy (nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM copy WHERE nth < ${copies})
       SELECT ${values.join(", ")} FROM copy CROSS JOIN sample_${table}`,
  );
}
