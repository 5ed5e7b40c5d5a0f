import type { ReadResult } from "../clients/reader.ts";
import { exportBody, exportColumns } from "../data/export-rows.ts";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

interface Row {
  readonly workOrderNumber: string;
  readonly externalData: string;
  readonly deliveryNoteExternalData: string;
  readonly deliveryAddressExternalData: string;
}

/** Computes the export on the same bytes without anything else: no checks, no server, no other thread. */
const { rows } = childSettings<{ rows: number }>();
const [customer, incoterm, region] = exportColumns;

await serveJobs(() => {
  const bytes = Buffer.from(exportBody(rows));
  return {
    run: (): ReadResult => {
      const startedAt = performance.now();
      const data = (JSON.parse(bytes.toString()) as Row[]).map((row) => ({
        workOrderNumber: row.workOrderNumber,
        values: {
          [customer.key]: JSON.parse(row.externalData).customer.name,
          [incoterm.key]: JSON.parse(row.deliveryNoteExternalData).terms.incoterm,
          [region.key]: JSON.parse(row.deliveryAddressExternalData).region,
        },
      }));
      const text = JSON.stringify({
        isResultSuccess: true,
        result: 2,
        validationStatus: null,
        externalMessage: null,
        data,
      });
      const answer = Buffer.from(text);
      return { ms: performance.now() - startedAt, bytes: answer.length };
    },
  };
});
