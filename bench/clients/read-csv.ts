import { readFileSync } from "node:fs";
import { FileType } from "../../src/contract/enums.ts";
import { readWorkOrderFile } from "../../src/formats/import/read-file.ts";
import type { CsvFiles, CsvResult } from "../csv.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/** Reads a CSV file with our code, from bytes to checked orders, once in a new process. */
const { file, smallFile } = childSettings<CsvFiles>();
const settings = { dates: { timeZone: "Europe/Berlin", timeOfDay: "08:00" } };

await serveJobs(() => ({
  run: (): CsvResult => {
    readWorkOrderFile(readFileSync(smallFile), FileType.Csv, settings);
    const bytes = readFileSync(file);
    const startedAt = performance.now();
    const reading = readWorkOrderFile(bytes, FileType.Csv, settings);
    const seconds = (performance.now() - startedAt) / 1000;
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems[0]));
    return { seconds, orders: reading.records.length, peakMb: process.resourceUsage().maxRSS / 1024 };
  },
}));
