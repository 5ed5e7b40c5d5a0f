import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { csvSample } from "./data/csv-sample.ts";
import { median } from "./harness/median.ts";
import { startChild } from "./harness/processes/child.ts";
import { sideBySide } from "./harness/side-by-side.ts";

export interface CsvResult {
  readonly seconds: number;
  readonly orders: number;
  /** Of the whole process, the runtime and the compiled program included. */
  readonly peakMb: number;
}

export interface CsvFiles {
  readonly file: string;
  /** Read before the clock starts: a running adapter has its libraries loaded, and so has any other program. */
  readonly smallFile: string;
}

const rounds = 7;

/**
 * 200,000 lines of CSV, bytes to orders: ours with detection and every check, against d3-dsv with none.
 * Each round in a process of its own, so that neither warmth nor memory of one helps or hurts the next.
 */
export async function measureCsv(): Promise<{ ratioToD3: number; seconds: number; d3Seconds: number; peakMb: number }> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const file = join(folder, "orders.csv");
  try {
    const smallFile = join(folder, "ten-orders.csv");
    writeFileSync(file, csvSample());
    writeFileSync(smallFile, csvSample(10));
    const settings: CsvFiles = { file, smallFile };
    const inFreshProcess = (program: string) => async (): Promise<CsvResult> => {
      const child = await startChild(new URL(program, import.meta.url), { settings });
      try {
        return await child.run<CsvResult>();
      } finally {
        await child.stop();
      }
    };
    const { ours, bare } = await sideBySide({
      rounds,
      ours: inFreshProcess("clients/read-csv.ts"),
      bare: inFreshProcess("bare/read-csv-d3.ts"),
    });
    const counts = new Set([...ours, ...bare].map(({ orders }) => orders));
    if (counts.size !== 1) throw new Error(`the two sides read different orders: ${[...counts].join(", ")}`);
    const seconds = median(ours.map((round) => round.seconds));
    const d3Seconds = median(bare.map((round) => round.seconds));
    const peakMb = Math.max(...ours.map((round) => round.peakMb));
    return { ratioToD3: seconds / d3Seconds, seconds, d3Seconds, peakMb };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) console.log(await measureCsv());
