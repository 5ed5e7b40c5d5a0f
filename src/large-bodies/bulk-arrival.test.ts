import fc from "fast-check";
import { expect, test } from "vitest";
import { operationRow } from "../contract/operations.ts";
import { createEngine } from "../engine/engine.ts";
import { defaultBudgets } from "../engine/queries/call.ts";
import { routing } from "../engine/queries/routing.ts";
import { silentLog } from "../kit/log.ts";
import { systemClock } from "../kit/time/clock.ts";
import { ok, ReadyJsonList } from "../operation/outcome.ts";
import { type Answer, answerOutcome } from "../server/contract/answer.ts";
import { contractHandler } from "../server/contract/contract-routes.ts";
import { inputReader } from "../server/contract/read-input.ts";
import { openColumns } from "../store/export/column.ts";
import { exportValues } from "../store/export/export-values.ts";
import { answerPart } from "./answer-part.ts";
import { bulkArrival } from "./bulk-arrival.ts";
import type { BulkThreads } from "./bulk-threads.ts";
import type { BulkPart } from "./bulk-worker.ts";

const id = "getExportValues";
const columns = await openColumns(
  [
    { key: "name", value: "externalData.customer.name" },
    { key: "note", value: "deliveryNote.a" },
    { key: "order", value: "order.deliveryNumber" },
  ],
  silentLog,
);
const orderText = (number: string) => (number.startsWith("W") ? `{"deliveryNumber":"D-${number.length}"}` : undefined);
const operations = { getExportValues: exportValues({ columns, clock: systemClock, orderText }) };
const engine = createEngine({
  routing: routing({ queries: { operations }, isBooked: false }),
  clock: systemClock,
  log: silentLog,
  budgets: defaultBudgets,
  served: { dates: { timeZone: "UTC", timeOfDay: "00:00" }, invalidOrders: "quarantine" },
  newEntryId: () => "",
  newReference: () => "",
  onTouched: () => {},
});
const reader = inputReader();
const handler = contractHandler({ engine, log: silentLog, validationMode: "envelope", newReference: () => "" });

/** Does in this thread what a worker thread would do with a part. */
const threadsHere: BulkThreads = {
  run: async (job, isWanted = () => true) => {
    if (!("partOf" in job)) throw new Error("only parts are run here");
    if (!isWanted()) return null;
    const work = async (): Promise<BulkPart> => {
      const text = await answerPart({ reader, engine }, { id, bytes: Buffer.concat(job.chunks), language: "en" });
      return { elements: text === null ? null : new TextEncoder().encode(text), chunks: job.chunks };
    };
    const first = work();
    return { first, over: first.then(() => {}), fail: () => {} };
  },
  close: async () => {},
};

interface Way {
  readonly pieceBytes: number;
  readonly chunkBytes: number;
  readonly isAhead: boolean;
}

async function arrived(body: Uint8Array, { pieceBytes, chunkBytes, isAhead }: Way, threads = threadsHere) {
  const settings = { id, acceptLanguage: undefined, isByElement: true, budgetMs: 60_000, threads } as const;
  const arrival = bulkArrival({ ...settings, isAhead, pieceBytes });
  for (let at = 0; at < body.length; at += chunkBytes) arrival.take(body.subarray(at, at + chunkBytes));
  const elements = await arrival.elements();
  return { elements, bytes: Buffer.concat(arrival.chunks()) };
}

async function textOf({ body }: Answer): Promise<string> {
  if (typeof body === "string") return body;
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}
const wholeAnswer = async (body: Uint8Array) => textOf(await handler.query(id, reader.fromBody(id, body), undefined));
const joinedAnswer = (elements: readonly Uint8Array[]) =>
  textOf(answerOutcome(operationRow(id), ok(new ReadyJsonList(elements)), "en"));

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const number = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom('W"\\', "W,{}", "Größe"));
const dataText = fc.oneof(
  fc.record({ customer: fc.record({ name: fc.string({ unit: "binary" }) }) }).map((data) => JSON.stringify(data)),
  fc.constantFrom(
    '{"a":12345678901234567891}',
    '{"a":[{"workOrderNumber":"1"},{"a":2}]}',
    "{broken",
    "",
    '{"a":{"b":1}}',
  ),
);
const goodRow = fc
  .record(
    {
      workOrderNumber: number,
      externalData: dataText,
      deliveryNoteExternalData: fc.option(dataText),
      other: fc.json(),
    },
    { requiredKeys: ["workOrderNumber"] },
  )
  .map((row) => JSON.stringify(row));
/** Most of these are refused: because of schema, depth, member names, letter case or invalid JSON. */
const oddRow = fc.constantFrom(
  '{"workOrderNumber":7}',
  '{"externalData":"{}"}',
  '{"WORKORDERNUMBER":"W","ExternalData":"{\\"customer\\":{\\"name\\":1}}"}',
  '{"workOrderNumber":"W","__proto__":{"a":1}}',
  '{"workOrderNumber":"W","\\u005f_proto__":1}',
  `{"workOrderNumber":"W","other":${deep(62)}}`,
  `{"workOrderNumber":"W","other":${deep(63)}}`,
  // Only the bytes show the depth, because a parser drops the first of two members with the same name.
  `{"workOrderNumber":"W","other":${deep(63)},"other":1}`,
  `{"workOrderNumber":"W","other":[{"workOrderNumber":"1"},{"workOrderNumber":"2"}]}`,
  '{"workOrderNumber":"W",}',
  "null",
  "",
  "]",
);
const bodyOf = (rows: readonly string[], space = "") =>
  Buffer.from(`[${rows.map((row) => space + row).join(",")}${space}]`);
const way = fc.record({
  pieceBytes: fc.integer({ min: 20, max: 400 }),
  chunkBytes: fc.integer({ min: 10, max: 300 }),
  isAhead: fc.boolean(),
});

test("a list in parts and as a whole is answered with the very same bytes", async () => {
  let inPartsCount = 0;
  const lists = fc.array(goodRow, { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(lists, fc.constantFrom("", "\n  "), way, async (texts, space, how) => {
      const body = bodyOf(texts, space);
      const { elements, bytes } = await arrived(body, how);
      if (elements !== null) {
        inPartsCount++;
        expect(await joinedAnswer(elements)).toBe(await wholeAnswer(body));
      }
      expect(bytes.equals(body)).toBe(true);
    }),
    { numRuns: 500 },
  );
  // The property proves something only if some lists really are answered in parts.
  expect(inPartsCount).toBeGreaterThan(100);
});

test("a body that would be refused as a whole is never answered in parts", async () => {
  let refusedCount = 0;
  const row = fc.oneof({ weight: 6, arbitrary: goodRow }, { weight: 1, arbitrary: oddRow });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), way, async (texts, how) => {
      const body = bodyOf(texts);
      const { elements, bytes } = await arrived(body, how);
      const whole = await wholeAnswer(body);
      if (elements !== null) expect(await joinedAnswer(elements)).toBe(whole);
      if (whole.includes('"isResultSuccess":false')) refusedCount++;
      expect(bytes.equals(body)).toBe(true);
    }),
    { numRuns: 1_500 },
  );
  expect(refusedCount).toBeGreaterThan(300);
});

const plainRows = Array.from({ length: 40 }, (_, index) => ({
  workOrderNumber: `W${index}`,
  externalData: JSON.stringify({ customer: { name: `Name ${index}` } }),
}));
const plainBody = Buffer.from(JSON.stringify(plainRows));

test.each([true, false])("rows in the form the platform writes are answered in parts (ahead: %s)", async (isAhead) => {
  const { elements } = await arrived(plainBody, { pieceBytes: 300, chunkBytes: 100, isAhead });
  expect(elements?.length).toBeGreaterThan(5);
  expect(await joinedAnswer(elements ?? [])).toBe(await wholeAnswer(plainBody));
});

test("parts are processed before the body has arrived completely, and no more of them after one is invalid", async () => {
  let count = 0;
  const counting: BulkThreads = {
    ...threadsHere,
    run: async (job, isWanted) => {
      const reply = await threadsHere.run(job, isWanted);
      if (reply !== null) count++;
      return reply;
    },
  };
  const settings = { id, acceptLanguage: undefined, isByElement: true, budgetMs: 60_000, pieceBytes: 300 } as const;
  const arrival = bulkArrival({ ...settings, isAhead: true, threads: counting });
  arrival.take(plainBody.subarray(0, 350));
  await new Promise(setImmediate);
  expect(count).toBe(1);
  // The error is in the middle of the list, so that the next part cannot be read.
  arrival.take(Buffer.from(`],[${plainBody.toString("utf8", 1)}`));
  await new Promise(setImmediate);
  const countBefore = count;
  arrival.take(plainBody.subarray(1));
  expect(await arrival.elements()).toBeNull();
  expect(count).toBe(countBefore);
});

test("a body whose parts take longer than its budget is aborted", async () => {
  const never: BulkThreads = {
    ...threadsHere,
    run: async () => ({ first: new Promise(() => {}), over: new Promise(() => {}), fail: () => {} }),
  };
  const settings = { id, acceptLanguage: undefined, isByElement: true, isAhead: true, pieceBytes: 300 } as const;
  const arrival = bulkArrival({ ...settings, budgetMs: 1, threads: never });
  for (let at = 0; at < plainBody.length; at += 100) arrival.take(plainBody.subarray(at, at + 100));
  await expect(arrival.elements()).rejects.toMatchObject({ kind: "unreachable" });
});
