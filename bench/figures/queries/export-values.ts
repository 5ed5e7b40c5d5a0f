import { startAdapter, startComputeExport } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { exportRows, listStore } from "../sizes.ts";
import { largeAnswer } from "./large-answer.ts";

export const exportValues: Figure = {
  name: "export",
  chapter: "Answers",
  summary:
    "POST /WorkOrders/WorkOrderExportValues with 100,000 rows (30 MB) and three columns, from request to last byte read, " +
    "against the bare computation on the same bytes in one process; and GET /Status at 50 per second meanwhile.",
  costs:
    "Beside the computation itself: taking 30 MB in, looking over the bytes for nesting depth, and giving the answer " +
    "out, which begins when the last part is known to be right.",
  measure: async (workshop) => {
    const adapter = await startAdapter(await workshop.store(listStore));
    return await largeAnswer({
      what: "Export values of 100,000 rows",
      job: { kind: "export", url: adapter.url, rows: exportRows },
      limit: 1.4,
      adapter,
      bare: await startComputeExport({ rows: exportRows }),
    });
  },
};
