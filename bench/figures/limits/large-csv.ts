import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { csvRows } from "../../data/csv-sample.ts";
import type { Workshop } from "../../harness/processes/workshop.ts";
import { startService, withChildren } from "../../harness/programs.ts";
import type { Figure, Measurement } from "../../harness/report/measurement.ts";
import { emptyStore } from "../sizes.ts";

const megabyte = 1_000_000;
const fileBytes = 500 * megabyte;
/** How often to look whether the file was imported. */
const lookMs = 100;

export const largeCsv: Figure = {
  name: "large-csv",
  chapter: "Limits",
  summary:
    "A CSV file of 500 MB (orders of ten lines, about four million rows) in a folder of the files connector, from its arrival until " +
    "every order is checked, journaled and booked. The most memory the process held on the way, with the settings of the service unit.",
  measure: measured,
};

async function measured(workshop: Workshop): Promise<Measurement[]> {
  const folder = await workshop.ownStore(emptyStore);
  const location = join(folder, "exchange");
  const orders = join(location, "orders");
  mkdirSync(orders, { recursive: true });
  const written = join(location, "unfinished.csv");
  workshop.say("writing a CSV file of 500 MB …");
  await pipeline(Readable.from(csvRows(fileBytes)), createWriteStream(written));
  const source = { topic: "workOrders", folder: "orders", pattern: "*.csv", settleSeconds: 0, everySeconds: 1 };
  const adapter = await startService(folder, {
    config: { connectors: { erp: { type: "files", location, maxMiB: 512, in: [source] } } },
  });
  return await withChildren([adapter], async () => {
    const startedAt = performance.now();
    renameSync(written, join(orders, "orders.csv"));
    while (filesIn(join(orders, "done")).length === 0) {
      if (filesIn(join(orders, "error")).length > 0) throw new Error("the file was refused");
      await sleep(lookMs);
    }
    const ms = performance.now() - startedAt;
    return [
      {
        what: "CSV of 500 MB by the files connector, peak memory",
        unit: "MB",
        ours: await adapter.run<number>(),
        bar: { of: "figure", at: "most", limit: 400 },
      },
      { what: "CSV of 500 MB by the files connector, until all is stored", unit: "ms", ours: ms },
    ];
  });
}

const filesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
