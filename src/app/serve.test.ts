import { expect, test } from "vitest";
import { startAdapter } from "../../test/support/adapter/adapter.ts";
import { moduleFile, moduleState } from "../../test/support/connectors/module-file.ts";
import { receiver } from "../../test/support/receivers/receiver.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { bulkBytes } from "../server/connection/bulk-parser.ts";

const gated = (answer: string) =>
  `async (input) => { if (state.gate) throw new Fault("unreachable", "down"); return ${answer}; }`;

test("each query is answered by the connector bound to it, and all others by the embedded store", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(
    folder,
    `getItem: ({ number }) => ok({ number, name }),
     getExportColumns: () => ok([{ key: "k", header: name }]),
     getExportValues: (rows) => ok(rows.map(({ workOrderNumber }) => ({ workOrderNumber, values: { k: name } }))),
     getIndexableValueLabel: () => ok({ label: name }),`,
  );
  const config = {
    connectors: { erp: { type: "module", path, options: { name: "of the ERP" } } },
    serve: { items: "erp", export: "erp", images: "embedded" },
  };
  const { client } = await startAdapter({ folder, config });
  expect((await client.getItem({ number: "7" })).data).toMatchObject({ number: "7", name: "of the ERP" });
  expect((await client.getIndexableValueLabel()).data).toEqual({ label: "of the ERP" });
  await client.push.workOrders([
    { number: "W-1", dueDate: "2030-01-01", requests: [{ itemNumber: "A-1", requestedAmount: 5 }] },
  ]);
  expect((await client.listWorkOrders()).data).toHaveLength(1);
  // Large enough for the thread for large bodies, which knows only the embedded store.
  const rows = Array.from({ length: 2_000 }, (_, i) => ({ workOrderNumber: `W-${i}`, externalData: "x".repeat(100) }));
  expect(JSON.stringify(rows).length).toBeGreaterThan(bulkBytes);
  const { data } = await client.getExportValues(rows);
  expect(data?.at(-1)).toEqual({ workOrderNumber: "W-1999", values: { k: "of the ERP" } });
});

test("while a connector is down its last known data is served, and readiness says so", async () => {
  const folder = temporaryFolder();
  const path = moduleFile(folder, `getItem: ${gated("ok({ number: input.number, name })")},`);
  const config = { connectors: { erp: { type: "module", path } }, serve: { items: "erp" } };
  const { client, url } = await startAdapter({ folder, config });
  expect((await client.getItem({ number: "7" })).isResultSuccess).toBe(true);
  moduleState(path).gate = Promise.resolve();
  const answer = await client.getItem({ number: "7" });
  expect(answer).toMatchObject({ isResultSuccess: true, data: { name: "mine" } });
  expect(answer.externalMessage).toBeTruthy();
  expect((await client.getItem({ number: "8" })).isResultSuccess).toBe(false);
  const health = await (await fetch(`${url}/health/ready`)).json();
  expect(health).toMatchObject({ ready: true, fallback: [{ connector: "erp", capability: "items" }] });
});

test("single events can go to another target or to none; a target that is down delays no other, even for the same order", async () => {
  const erp = await receiver((response) => response.writeHead(503).end());
  const other = await receiver((response) => response.writeHead(204).end());
  const config = {
    connectors: { erp: { type: "webhook", url: erp.url }, other: { type: "webhook", url: other.url } },
    events: {
      to: "erp",
      by: { cancelPutWallItem: "other", changeStatus: "none" },
      limits: { other: { concurrency: 1 } },
    },
  };
  const { client } = await startAdapter({ config });
  await client.confirmPutWallPlacement({ workOrderNumber: "W-1", itemNumber: "A", completedAmount: 1 });
  await client.cancelPutWallItem({ workOrderNumber: "W-1", itemNumber: "B" });
  await client.changeStatus({ number: "W-1", status: 1 });
  await expect.poll(() => other.requests.length).toBe(1);
  expect(JSON.parse(other.requests[0]?.body.toString() ?? "")).toMatchObject({ itemNumber: "B" });
  await expect.poll(() => erp.requests.length).toBeGreaterThan(0);
  expect(erp.requests.every(({ body }) => body.includes('"A"'))).toBe(true);
});
