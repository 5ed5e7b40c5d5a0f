import { readFileSync } from "node:fs";
import { FileType } from "../../src/contract/enums.ts";
import { readWorkOrderFile } from "../../src/sdk/records/read-file.ts";
import type { CsvResult } from "../csv.ts";
import { childSettings, serveJobs } from "../harness/serve-jobs.ts";

/** Our reading of a CSV file, bytes to checked orders, once and in a fresh process. */
const { file } = childSettings<{ file: string }>();

await serveJobs(() => ({
  run: (): CsvResult => {
    const bytes = readFileSync(file);
    const startedAt = performance.now();
    const dates = { timeZone: "Europe/Berlin", timeOfDay: "08:00" };
    const reading = readWorkOrderFile(bytes, FileType.Csv, { dates });
    const seconds = (performance.now() - startedAt) / 1000;
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems[0]));
    return { seconds, orders: reading.records.length, peakMb: process.resourceUsage().maxRSS / 1024 };
  },
}));
