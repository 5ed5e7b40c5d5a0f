import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { apiKey, startAdapter } from "../../../../test/support/adapter/adapter.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createClient } from "../../../contract/derive/client.ts";
import { operations } from "../../../contract/operations.ts";
import { systemTimers } from "../../../kit/time/timers.ts";
import type { RecordedCall } from "../record/captured-call.ts";
import { record } from "../record/record.ts";
import { replay } from "./replay.ts";

const common = { speed: null, apiKey, isDataCompared: true, timers: systemTimers, now: () => performance.now() };
const limits = { mostFileBytes: 2 ** 24, keepFiles: 2, mostBodyBytes: 2 ** 22, secret: undefined };

/** A short shift on the sample warehouse, through the proxy. */
async function recordedShift(): Promise<string> {
  const { url } = await startAdapter({ sample: true });
  const file = join(temporaryFolder(), "shift.jsonl");
  const proxy = await record({ target: url, host: "127.0.0.1", port: 0, file, now: common.now, ...limits });
  const client = createClient({ baseUrl: proxy.url, apiKey });
  const { data } = await client.listWorkOrders();
  await client.findWorkOrderByCode({ Code: "no such order", StorageName: "Main" });
  for (const { number, requests } of data?.slice(0, 3) ?? []) {
    await client.attachWorkOrder({ workOrderNumber: number, containerCode: `BOX-${number}` });
    for (const [index, line] of requests.entries()) {
      await client.getItem({ number: line.itemNumber });
      await client.confirmStep({
        ...{
          workOrderNumber: number,
          requestId: index + 1,
          itemNumber: line.itemNumber,
          userEmail: "eva@huber.example",
        },
        requestExternalIdentifier: line.requestExternalIdentifier ?? null,
        amountToConfirmPickingSummary: {
          locationName: "A-01",
          containersBreakdown: [
            { containerCode: `BOX-${number}`, amountToConfirmInBaseUnitOfMeasure: line.requestedAmount },
          ],
        },
      });
    }
  }
  const numbers = (data ?? []).slice(0, 3).map(({ number }) => number);
  await client.getReport({ workOrdersNumbers: numbers, storageId: "Main", remainingRequests: {} });
  await client.attachWorkOrder({ workOrderNumber: "no such order", containerCode: "BOX-9" });
  const csv = "number;dueDate;itemNumber;requestedAmount\r\nF-1;2030-01-31;100100;2";
  await client.parseWorkOrderFile({ fileContent: Buffer.from(csv).toString("base64"), fileType: 1 });
  await proxy.close();
  return file;
}

test("a recorded shift, played to an empty adapter, gets the same answers", async () => {
  const file = await recordedShift();
  const { url } = await startAdapter();
  const result = await replay({ ...common, file, url });
  expect(result.differences).toEqual([]);
  expect(result.prepared.workOrders).toBeGreaterThan(3);
  expect(result.played).toBeGreaterThan(12);
  expect([result.skipped, result.nowMs.count()]).toEqual([0, result.played]);
});

test("a packed body is played packed, and gets the answer it got then", async () => {
  const { url } = await startAdapter();
  const file = join(temporaryFolder(), "packed.jsonl");
  const proxy = await record({ target: url, host: "127.0.0.1", port: 0, file, now: common.now, ...limits });
  const answer = await fetch(proxy.url + operations.cancelPutWallItem.path, {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: gzipSync(JSON.stringify({ workOrderNumber: "4711", itemNumber: "100100" })),
  });
  expect(answer.status).toBe(415);
  await answer.text();
  await proxy.close();
  const { played, differences } = await replay({ ...common, file, url });
  expect([played, differences]).toEqual([1, []]);
});

test("an adapter that answers otherwise is found out, call by call", async () => {
  const file = await recordedShift();
  const { url } = await startAdapter();
  // Without the pushed orders the adapter knows none of them.
  const { differences, different } = await replay({ ...common, file, url, apiKey: null });
  expect(different).toBe(differences.length);
  expect(differences).toContainEqual(
    expect.objectContaining({ what: "result", recorded: "Success (success)", now: "WorkOrderDoesNotExist" }),
  );
});

test("calls keep their distance, divided by the speed, and nothing begins before what it followed was answered", async () => {
  const { url } = await startAdapter();
  const file = join(temporaryFolder(), "made.jsonl");
  const call = (sequence: number, atMs: number): RecordedCall => ({
    ...{ kind: "call", sequence, atMs, tookMs: 5, row: { operation: "getStatus" }, method: "GET", path: "/Status" },
    ...{ headers: {}, request: { none: true }, answer: { status: 200, body: { json: {} } } },
  });
  const lines = [{ kind: "begin", version: 1, session: "s" }, call(1, 4000), call(0, 1000), call(2, 10_000)];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  let clock = 0;
  const waits: number[] = [];
  const timers = {
    ...systemTimers,
    after: (ms: number, run: () => void) => {
      waits.push(ms);
      clock += ms;
      queueMicrotask(run);
      return () => {};
    },
  };
  const result = await replay({ ...common, file, url, speed: 10, timers, now: () => clock });
  expect([waits, result.different, result.durationMs]).toEqual([[300, 600], 0, 900]);
});
