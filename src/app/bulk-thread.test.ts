import { expect, test } from "vitest";
import { startAdapter } from "../../test/support/adapter.ts";
import type { ExportRow } from "../contract/schemas/asks.ts";
import { bulkBytes } from "../http/bulk-road.ts";

const exportColumns = [{ key: "name", header: "Name", value: "externalData.name" }];

function rowsOf(count: number): ExportRow[] {
  return Array.from({ length: count }, (_, index) => ({
    workOrderNumber: `WO-${index}`,
    externalData: JSON.stringify({ name: `Größe ${index}`, filler: "x".repeat(100) }),
  }));
}

test("a large export comes back whole and in order, one after the other", async () => {
  const { client } = await startAdapter({ config: { exportColumns } });
  const rows = rowsOf(5000);
  expect(JSON.stringify(rows).length).toBeGreaterThan(bulkBytes);
  for (const answer of await Promise.all([client.getExportValues(rows), client.getExportValues(rows)])) {
    expect(answer.data).toEqual(
      rows.map(({ workOrderNumber }, index) => ({ workOrderNumber, values: { name: `Größe ${index}` } })),
    );
  }
});

test("a mistake in a large body is told in the answer, and the thread takes the next one", async () => {
  const { client } = await startAdapter({ config: { exportColumns } });
  const rows = rowsOf(5000);
  // One row without its number, behind all the good ones.
  const refused = await client.getExportValues([...rows, { externalData: "{}" } as ExportRow]);
  expect(refused).toMatchObject({ isResultSuccess: false, data: null });
  expect((await client.getExportValues(rows)).data).toHaveLength(rows.length);
});

test("an export that takes longer than its budget is given up, and the next one gets a new thread", async () => {
  // Less than the thread needs to start.
  const { client } = await startAdapter({ config: { exportColumns, budgets: { listMs: 10 } } });
  for (let time = 0; time < 2; time++) {
    expect(await client.getExportValues(rowsOf(5000))).toMatchObject({ isResultSuccess: false, data: null });
  }
});
