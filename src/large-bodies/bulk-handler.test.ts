import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdapter } from "../../test/support/adapter/adapter.ts";
import { envelopeOf } from "../../test/support/adapter/envelope-of.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { loadConfig } from "../config/load-config.ts";
import { operations } from "../contract/operations.ts";
import type { ExportRow } from "../contract/schemas/queries.ts";
import { systemTimers } from "../kit/time/timers.ts";
import { bulkBytes } from "../server/connection/bulk-parser.ts";
import { openBulkHandler } from "./bulk-handler.ts";

const exportColumns = [{ key: "name", header: "Name", value: "externalData.name" }];
const { method, path } = operations.getExportValues;
const headers = { "content-type": "application/json" };

function rowsOf(count: number): ExportRow[] {
  return Array.from({ length: count }, (_, index) => ({
    workOrderNumber: `WO-${index}`,
    externalData: JSON.stringify({ name: `Größe ${index}`, filler: "x".repeat(100) }),
  }));
}
const valuesOf = (rows: readonly ExportRow[]) =>
  rows.map(({ workOrderNumber }, index) => ({ workOrderNumber, values: { name: `Größe ${index}` } }));

const rows = rowsOf(5_000);
/** More than four parts, so that two threads process them. */
const manyRows = rowsOf(30_000);
const manyText = JSON.stringify(manyRows);

// One adapter for all tests: starting threads takes longer than the tests themselves.
let adapter: Awaited<ReturnType<typeof startAdapter>>;
beforeAll(async () => {
  adapter = await startAdapter({ config: { exportColumns }, onFinished: () => {} });
});
afterAll(() => adapter.close());

test("large exports come back whole and in order, one after the other", async () => {
  const { client } = adapter;
  expect(JSON.stringify(rows).length).toBeGreaterThan(bulkBytes);
  const [one, other, many] = await Promise.all([rows, rows, manyRows].map((sent) => client.getExportValues(sent)));
  expect(one?.data).toEqual(valuesOf(rows));
  expect(other?.data).toEqual(valuesOf(rows));
  expect(many?.data).toEqual(valuesOf(manyRows));
});

test("an error in a large body is reported in the answer, and the thread reads the next body", async () => {
  const { client } = adapter;
  // The last row has no number; all others are valid.
  const refused = await client.getExportValues([...rows, { externalData: "{}" } as ExportRow]);
  expect(refused).toMatchObject({ isResultSuccess: false, data: null });
  expect((await client.getExportValues(rows)).data).toHaveLength(rows.length);
});

test.each([
  ["without its number", '{"externalData":"{}"}', "[30000].workOrderNumber"],
  ["nested too deep", `{"workOrderNumber":"1","other":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "64"],
  ["with a member that no object can have", '{"workOrderNumber":"1","__proto__":{}}', "[30000].__proto__"],
  ["that is no JSON", '{"workOrderNumber":"1"', String(manyText.length + '{"workOrderNumber":"1"'.length)],
])(
  "a row %s after megabytes of valid ones is reported with its position in the whole body",
  async (_how, row, place) => {
    const body = `${manyText.slice(0, -1)},${row}]`;
    const envelope = await envelopeOf(fetch(adapter.url + path, { method, body, headers }));
    expect(envelope).toMatchObject({ isResultSuccess: false, data: null });
    expect(JSON.stringify(envelope.validationStatus)).toContain(place);
  },
);

/** Sends half of a body, and the rest on request. */
function slowly(url: string, body: string) {
  const request = httpRequest(url + path, { method, headers });
  const answered = new Promise<string>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", async (response) => resolve((await response.setEncoding("utf8").toArray()).join("")));
  });
  const half = Math.floor(body.length / 2);
  const sent = new Promise<void>((resolve) => request.write(body.slice(0, half), () => resolve()));
  return { request, answered, sent, finish: () => request.end(body.slice(half)) };
}

test("a slow sender delays nobody and gets an answer in the end", async () => {
  const slow = slowly(adapter.url, manyText);
  await slow.sent;
  expect((await adapter.client.getExportValues(manyRows)).data).toHaveLength(manyRows.length);
  slow.finish();
  expect(JSON.parse(await slow.answered).data).toEqual(valuesOf(manyRows));
});

test("a sender that hangs up in the middle does not affect the next one", async () => {
  const gone = slowly(adapter.url, manyText);
  await gone.sent;
  gone.request.destroy();
  await expect(gone.answered).rejects.toThrow();
  expect((await adapter.client.getExportValues(manyRows)).data).toHaveLength(manyRows.length);
});

test("a body of unknown length is refused with 413 as soon as it passes the limit", async () => {
  const { url } = await startAdapter({ config: { exportColumns, bodyLimitMiB: 1 } });
  const large = slowly(url, manyText);
  expect(JSON.parse(await large.answered)).toMatchObject({ status: 413 });
  large.request.destroy();
});

test("expressions are computed for several megabytes too", async () => {
  const expression = [{ key: "name", header: "Name", value: "$uppercase(externalData.name)" }];
  const { client } = await startAdapter({ config: { exportColumns: expression } });
  const { data } = await client.getExportValues(rowsOf(8_000));
  expect(data).toHaveLength(8_000);
  expect(data?.at(-1)).toEqual({ workOrderNumber: "WO-7999", values: { name: "GRÖSSE 7999" } });
});

test("an export that takes longer than its budget is aborted, and the next one gets a new thread", async () => {
  // Shorter than a thread takes to start.
  const { client } = await startAdapter({ config: { exportColumns, budgets: { listMs: 10 } } });
  for (const sent of [rows, manyRows]) {
    expect(await client.getExportValues(sent)).toMatchObject({ isResultSuccess: false, data: null });
  }
});

test("bodies that arrive together use bounded memory; the one that exceeds it is refused, and the memory is released", async () => {
  const { config } = await loadConfig({ env: {}, cwd: temporaryFolder() });
  const handler = openBulkHandler({
    settings: { config, databaseFile: "" },
    byElement: [],
    threadCount: 1,
    timers: systemTimers,
    maxArrivingBytes: 1_000,
  });
  const first = handler.receive("getExportValues", undefined);
  first.take(new Uint8Array(900));
  const second = handler.receive("getExportValues", undefined);
  second.take(new Uint8Array(200));
  second.take(new Uint8Array(200));
  await expect(second.query()).rejects.toThrow("too many large bodies");
  first.drop();
  const third = handler.receive("getExportValues", undefined);
  third.take(new Uint8Array(900));
  third.drop();
  await handler.retire();
});
