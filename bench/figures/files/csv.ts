import { measureCsv } from "../../csv.ts";
import type { Figure } from "../../harness/report/measurement.ts";

export const csv: Figure = {
  name: "csv",
  chapter: "Answers",
  summary:
    "A CSV file of 200,000 lines, from bytes to orders with every check, against d3-dsv building the same orders " +
    "without checks; every round in a fresh process. The memory is the peak of that whole process.",
  measure: async () => {
    const { seconds, d3Seconds, peakMb } = await measureCsv();
    return [
      {
        what: "CSV of 200,000 lines",
        unit: "ms",
        ours: seconds * 1000,
        bare: d3Seconds * 1000,
        bar: { of: "ratio", at: "most", limit: 1.5 },
      },
      {
        what: "CSV of 200,000 lines, peak memory",
        unit: "MB",
        ours: peakMb,
        bar: { of: "figure", at: "most", limit: 250 },
      },
    ];
  },
};
