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
  /** The memory of the whole process, including the runtime and the compiled program. */
  readonly peakMb: number;
}

export interface CsvFiles {
  readonly file: string;
  /** Read before the measurement starts, because a running adapter has its libraries loaded already. */
  readonly smallFile: string;
}

const rounds = 7;

/**
 * Reads 200,000 lines of CSV from bytes to orders: our code with detection and all checks, against d3-dsv without
 * checks. Each round runs in its own process, so that rounds do not influence each other.
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
