import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openContext } from "../../test/support/connectors/open-context.ts";
import { workOrder } from "../../test/support/floor/embedded-store.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { FileType } from "../contract/enums.ts";
import { operationIds, operationRow } from "../contract/operations.ts";
import { openDatabase } from "../kit/sqlite/sqlite.ts";
import { manualClock } from "../kit/time/clock.ts";
import { ok } from "../operation/outcome.ts";
import type { OpenConnector } from "../sdk/connector.ts";
import { embedded } from "./connector.ts";
import { withDefaults } from "./option-defaults.ts";
import { openProjection } from "./store-projection.ts";

async function opened(given: Parameters<typeof withDefaults>[0] = {}) {
  const options = withDefaults(given);
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  const database = openDatabase(databaseFile);
  database.exec("PRAGMA journal_mode = WAL");
  const projection = openProjection(database, options);
  const connector = await embedded.open(options, openContext({ databaseFile, clock: manualClock() }));
  onTestFinished(async () => {
    await connector.close();
    database.close();
  });
  let seq = 0;
  const push = (topic: string, payload: unknown) => {
    seq += 1;
    if (projection.apply({ id: `evt_${seq}`, seq, topic, payload, receivedAt: seq }).touched) connector.dropCaches();
  };
  return { push, ...connector };
}
const context = { language: "en", signal: new AbortController().signal } as const;
const upload = (text: string) => ({ fileContent: Buffer.from(text).toString("base64"), fileType: FileType.Json });

test("the embedded system answers every query of the contract", async () => {
  const queries = operationIds.filter((id) => operationRow(id).kind === "query" && id !== "getStatus");
  const { operations } = await opened();
  expect(Object.keys(operations).sort()).toEqual(queries.sort());
});

test("its inline projection is the module beside it, in the sources and in the package", async () => {
  const { href } = embedded.projectionModule;
  expect(href).toMatch(/\/src\/store\/store-projection\.[jt]s$/);
  expect(await import(href)).toHaveProperty("openProjection");
});

test("what is pushed is seen by the next scan, though the scan before was kept in memory", async () => {
  const { push, operations } = await opened();
  const scan = async () => await operations.findWorkOrderByCode({ Code: "N", StorageName: "A" }, context);
  push("workOrders", workOrder({ number: "N", description: "first" }));
  expect(await scan()).toMatchObject({ data: { text: expect.stringContaining("first") } });
  push("workOrders", workOrder({ number: "N", description: "second" }));
  expect(await scan()).toMatchObject({ data: { text: expect.stringContaining("second") } });
  push("cancellations", { workOrderNumber: "N" });
  expect(await scan()).toMatchObject({ ok: false, message: { key: "orders.cancelled" } });
});

test("a pushed item is seen by the next query", async () => {
  const { push, operations } = await opened();
  const query = async () => await operations.getItem({ number: "A" }, context);
  push("items", { number: "A", name: "old" });
  expect(await query()).toMatchObject({ data: { text: expect.stringContaining("old") } });
  push("items", { number: "A", name: "new" });
  expect(await query()).toMatchObject({ data: { text: expect.stringContaining("new") } });
});

test("unconfigured there are no export columns and an empty label, all success", async () => {
  const { operations } = await opened();
  expect(await operations.getExportColumns({}, context)).toEqual(ok([]));
  expect(await operations.getIndexableValueLabel({}, context)).toEqual(ok({ label: "" }));
});

test("configured columns and label are given as they are configured", async () => {
  const exportColumns = [{ key: "city", header: "Ort", value: "order.city" }];
  const { push, operations } = await opened({ exportColumns, indexableValueLabel: "Tour" });
  push("workOrders", { ...workOrder({ number: "N" }), city: "Chur" });
  expect(await operations.getExportColumns({}, context)).toEqual(ok([{ key: "city", header: "Ort" }]));
  expect(await operations.getIndexableValueLabel({}, context)).toEqual(ok({ label: "Tour" }));
  const values = await operations.getExportValues([{ workOrderNumber: "N" }], context);
  expect(values).toMatchObject({ ok: true, data: expect.anything() });
  if (values.ok && "pieces" in values.data) {
    expect([...values.data.pieces].join()).toBe('{"workOrderNumber":"N","values":{"city":"Chur"}}');
  }
});

test("a column that cannot be computed keeps the embedded system from opening, and says which", async () => {
  const exportColumns = [{ key: "city", header: "Ort", value: "order.city[" }];
  await expect(opened({ exportColumns })).rejects.toThrow(/city/);
});

test("a file is read with the configured zone and time of day, and its numbers are to be remembered", async () => {
  const { operations } = await opened({ timeZone: "Europe/Zurich", timeOfDay: "07:30" });
  const file = upload('[{"number":"F-1","dueDate":"2026-01-15","requests":[{"itemNumber":"A","requestedAmount":1}]}]');
  expect(await operations.parseWorkOrderFile(file, context)).toMatchObject({
    ok: true,
    data: [{ number: "F-1", dueDate: "2026-01-15T07:30:00+01:00" }],
    facts: [{ topic: "knownOrders", payload: { numbers: ["F-1"] } }],
  });
  expect(await operations.parseItemFile(upload('[{"number":"A"}]'), context)).toMatchObject({
    ok: true,
    data: [{ number: "A" }],
  });
});

test("a report is answered from the same store", async () => {
  const { push, operations } = await opened();
  push("workOrders", workOrder({ number: "N" }));
  const request = { workOrdersNumbers: ["N"], storageId: "1", remainingRequests: { "A-1": 2 } };
  expect(await operations.getReport(request, context)).toMatchObject({ data: { missingQuantities: { "A-1": 2 } } });
});

test("a check passes while the tables can be read", async () => {
  const { check } = await opened();
  await expect(check()).resolves.toBeUndefined();
});

test("an export that reads long orders is long, whether by one order or by many rows; without them it is not", async () => {
  const columns = (value: string) => ({ exportColumns: [{ key: "a", header: "A", value }] });
  const reading = await opened(columns("order.externalData.a"));
  const without = await opened(columns("externalData.a"));
  for (const { push } of [reading, without]) {
    push("workOrders", workOrder({ number: "long", description: "x".repeat(600_000) }));
    push("workOrders", workOrder({ number: "short" }));
  }
  const rows = (number: string, count: number) => Array.from({ length: count }, () => ({ workOrderNumber: number }));
  const isLong = ({ isLong: asked }: OpenConnector, given: unknown) => asked?.("getExportValues", given);
  expect(isLong(reading, rows("long", 1))).toBe(true);
  expect(isLong(reading, rows("short", 10))).toBe(false);
  expect(isLong(reading, rows("short", 5_000))).toBe(true);
  expect(isLong(reading, rows("unknown", 5_000))).toBe(false);
  expect(isLong(without, rows("long", 1))).toBe(false);
});
