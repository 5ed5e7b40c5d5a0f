import assert from "node:assert/strict";
import { type Floor, granted } from "../floor.ts";
import type { RunningOrder } from "../running-order.ts";

/** The shift ends: export with the ERP's own columns, and the report. */
export async function paperwork({ client, say }: Floor, picked: RunningOrder): Promise<void> {
  const columns = granted(await client.getExportColumns());
  assert.deepEqual(columns, [{ key: "customer", header: "Customer" }]);
  const rows = granted(
    await client.getExportValues([
      { workOrderNumber: picked.number, externalData: picked.externalData },
      { workOrderNumber: "0815" },
    ]),
  );
  assert.deepEqual(rows, [
    { workOrderNumber: picked.number, values: { customer: "Huber Bakery" } },
    { workOrderNumber: "0815", values: {} },
  ]);
  assert.equal(granted(await client.getIndexableValueLabel()).label, "Cost centre");

  const report = granted(
    await client.getReport({
      ...{ workOrdersNumbers: [picked.number], storageId: "Main" },
      remainingRequests: picked.remaining(),
    }),
  );
  assert.deepEqual(report, {
    missingQuantities: { "100200": 4 },
    placements: [{ itemNumber: "100100", locationName: "M-01-01", amount: 5 }],
  });
  say("export: column Customer; report of 4711: 5 × 100100 from M-01-01, 4 × 100200 missing");
}
