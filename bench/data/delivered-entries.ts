import { repeatRule, ruleOfEvent } from "../../src/engine/events/repeat-rule.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { newId } from "../../src/kit/ids.ts";
import { row, text } from "../../src/kit/sqlite/row.ts";
import { type Database, openDatabase } from "../../src/kit/sqlite/sqlite.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { lanesOfEvent } from "../../src/operation/lane.ts";
import { placement, placementsPerOrder } from "./placement.ts";

const topic = "confirmPutWallPlacement";
const sampleOrder = "DONE-00000000";
/** The tables that contain rows of an order's events. */
const tables = ["entry", "entry_body", "entry_lane", "lane", "attempt", "quantity"] as const;

/** Processes the events of one order completely, so that real rows of the journal can be multiplied. */
export async function deliverSample(journal: Journal): Promise<void> {
  for (let turn = 0; turn < placementsPerOrder; turn++) {
    const input = { ...placement(0, turn), workOrderNumber: sampleOrder };
    const repeat = repeatRule(topic, ruleOfEvent(topic, input), {
      windowMs: 900_000,
      clockMs: (ms) => ms,
      idempotencyKey: undefined,
    });
    const receivedAt = systemClock.now();
    const event = { body: JSON.stringify(input), payload: null, acceptLanguage: "de-DE,de;q=0.9", receivedAt };
    const delivery = { lanes: lanesOfEvent(topic, input), handling: "queue", target: "receiver" } as const;
    const entry = { id: `evt_${newId(systemClock)}`, direction: "out", topic, ...event, ...delivery } as const;
    const [appended] = await journal.append([{ ...entry, repeat }]);
    if (appended === undefined || !("seq" in appended)) throw new Error("the sample was treated as a repeat");
    const { seq } = appended;
    journal.markAnswered(seq, receivedAt);
    const token = `lease-${seq}`;
    await journal.start(seq, token);
    const attempt = { startedAt: receivedAt, endedAt: systemClock.now(), status: 204 };
    const { done } = await journal.settle({ seq, token }, { state: "delivered" }, attempt);
    if (!done) throw new Error("the sample could not be settled");
  }
  // Deletes nothing, but writes the last positions of the lanes, which are multiplied too.
  await journal.prune({ bodiesBefore: 0, entriesBefore: 0, batch: 1 });
}

/**
 * Copies all rows with other numbers directly in the file, because appending millions of events would take far too
 * long.
 */
export function multiplySample(databaseFile: string, entries: number): void {
  const database = openDatabase(databaseFile);
  // Durability is not needed, because an unfinished store is deleted.
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
  const columns = database
    .query(`SELECT name, type FROM pragma_table_info('${table}')`, row({ name: text, type: text }))
    .all();
  const values = columns.map(({ name, type }) => {
    if (name === "seq") return `seq + nth * ${placementsPerOrder}`;
    if (name === "id" && type === "INTEGER") return `id + nth * (SELECT max(id) FROM sample_${table})`;
    // Ids increase with time, so these must be lower than all later ones.
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
