import { createHash } from "node:crypto";
import { closeSync, copyFileSync, createReadStream, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/kit/sqlite/sqlite.ts";
import { hangUp, openClient } from "../../../src/replication/postgres/open-client.ts";
import { prepareTables } from "../../../src/replication/postgres/prepare-tables.ts";
import { restoreSnapshot } from "../../../src/replication/snapshot/restore-snapshot.ts";
import { storeParts } from "../../../src/replication/snapshot/store-snapshot.ts";
import { median } from "../../harness/median.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { startPostgres } from "../../peers/postgres.ts";

const bytes = 2 ** 30;
const rounds = 3;
const rowsAtOnce = 10_000;
const deployment = "restored";
const timeoutMs = 60_000;

export const restore: Figure = {
  name: "restore",
  chapter: "Delivery",
  summary:
    "A copy of 1 GB whose rows have the texts of events, restored from its compressed snapshot in a PostgreSQL on the same " +
    "machine, with the check that it is what was stored, and synced; against copying the file on the same disk, synced.",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
    const postgres = await startPostgres();
    try {
      const file = join(folder, "copy.db");
      fill(file);
      const client = await openClient({ url: postgres.connectionString, name: "crossdock bench", timeoutMs });
      try {
        await prepareTables(client);
        const snapshot = await storeParts(client, { deployment, number: 1 }, file);
        const before = await digestOf(file);
        const restoreMs: number[] = [];
        const copyMs: number[] = [];
        for (let round = 0; round < rounds; round++) {
          const [restored, copied] = ["restored.db", "copied.db"].map((name) => join(folder, name)) as [string, string];
          restoreMs.push(
            await timed(restored, () =>
              restoreSnapshot((work) => work(client), { deployment, snapshot, file: restored }),
            ),
          );
          copyMs.push(await timed(copied, async () => copyFileSync(file, copied)));
          if ((await digestOf(restored)) !== before)
            throw new Error("the restored file is not the one that was stored");
          for (const made of [restored, copied]) rmSync(made);
        }
        return [
          {
            what: "Restore of a copy of 1 GB",
            unit: "ms",
            ours: median(restoreMs),
            bare: median(copyMs),
            bar: { of: "figure", at: "most", limit: 60_000 },
          },
        ];
      } finally {
        await hangUp(client);
      }
    } finally {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function fill(file: string): void {
  const database = openDatabase(file);
  database.exec("PRAGMA journal_mode = OFF; CREATE TABLE entry (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  const insert = database.statement("INSERT INTO entry (body) VALUES (?)");
  for (let seq = 1; statSync(file).size < bytes; ) {
    database.exec("BEGIN");
    for (const end = seq + rowsAtOnce; seq < end; seq++) insert.run(bodyOf(seq));
    database.exec("COMMIT");
  }
  database.close();
}

/** Ids that do not repeat, in a text that does, as in a journal. */
function bodyOf(seq: number): string {
  const id = createHash("sha256").update(String(seq)).digest("hex").slice(0, 24);
  const line = { requestId: seq, itemNumber: `A-${seq % 5_000}`, confirmedAmount: seq % 7, lotNumber: id };
  const step = {
    workOrderNumber: `SO-${seq >> 3}`,
    userEmail: "operator@example.com",
    containerCode: `T-${seq % 900}`,
  };
  return JSON.stringify({ id: `evt_${id}`, ...step, updateModel: { confirmedLines: [line, line, line, line] } });
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** The time until the file is written and synced. */
async function timed(file: string, write: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await write();
  const opened = openSync(file, "r+");
  fsyncSync(opened);
  closeSync(opened);
  return performance.now() - from;
}
