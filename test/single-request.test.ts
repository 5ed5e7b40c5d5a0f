import { beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operations } from "../src/contract/operations.ts";
import { inputReader } from "../src/http/read-input.ts";
import { startAdapter } from "./support/adapter.ts";
import { envelopeOf } from "./support/envelope-of.ts";
import { longestStall, workedMs } from "./support/longest-stall.ts";

const listOf = (count: number, element: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => element(index)).join(",")}]`;

const line = (index: number) =>
  `{"requestId":${index},"itemNumber":"ITEM-${index}","itemName":"Item number ${index}","itemUnitOfMeasure":0,` +
  `"requestedAmount":5,"isCancelled":false,"designatedLocationId":null,"lotNumber":"LOT-${index}","type":1,` +
  `"order":${index},"externalIdentifier":"line-${index}","externalData":"{\\"a\\":${index}}"}`;

const largest =
  '{"workOrderNumber":"N","requestId":1,"amountToConfirmPickingSummary":{"containersBreakdown":' +
  `[{"amountToConfirmInBaseUnitOfMeasure":1}]},"updateWorkOrderRequest":{"id":1,"itemRequests":${listOf(10_000, line)}}}`;

const refused: Record<string, { id: OperationId; body: string; names: RegExp }> = {
  "600,000 members that nobody knows": {
    id: "attachWorkOrder",
    body: `{"workOrderNumber":"1","containerCode":"C",${listOf(600_000, (index) => `"m${index}":1`).slice(1, -1)}}`,
    names: /1000 members/,
  },
  "2.6 million empty elements": {
    id: "relocateCartContainers",
    body: `[${"{},".repeat(2_600_000)}{}]`,
    names: /elements/,
  },
  "an order number of 7.9 MB": {
    id: "confirmPutWallPlacement",
    body: JSON.stringify({ workOrderNumber: "x".repeat(7_900_000), itemNumber: "A", completedAmount: 1 }),
    names: /256 characters/,
  },
  "thousands of errors in a few kilobytes": {
    id: "confirmStep",
    body: `{"workOrderNumber":"N","requestId":1,"updateWorkOrderRequest":{"itemRequests":[${'{"order":"x","type":9},'.repeat(2_700)}0]}}`,
    names: /must be/,
  },
  "a report of a million numbers": {
    id: "getReport",
    body: `{"storageId":"S","remainingRequests":{},"workOrdersNumbers":[${'"1234",'.repeat(1_000_000)}"1"]}`,
    names: /10000 elements/,
  },
};

describe("a single request", () => {
  let adapter: Awaited<ReturnType<typeof startAdapter>>;
  beforeAll(async () => {
    adapter = await startAdapter({ onFinished: () => {} });
    return adapter.close;
  });
  const post = (path: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(adapter.url + path, { method: "POST", body, headers: { "content-type": "application/json" } });

  const reader = inputReader();
  /** How long this thread would be held up by reading the body in it, and by finding out all that is wrong with it. */
  const readingMs = (id: OperationId, body: string) => {
    const start = workedMs();
    JSON.parse(body);
    reader.fromBody(id, Buffer.from(body));
    return workedMs() - start;
  };

  test.each(Object.entries(refused))("with %s is refused, names the limit and holds up nobody", async (_what, sent) => {
    const body = Buffer.from(sent.body);
    const stalls: number[] = [];
    for (let run = 0; run < 2; run++) {
      const { stallMs, result } = await longestStall(() => envelopeOf(post(operations[sent.id].path, body)));
      expect(result).toMatchObject({ isResultSuccess: false, validationStatus: { isValid: false } });
      expect(result.validationStatus?.errorMessages[0]).toMatch(sent.names);
      expect(result.validationStatus?.errorMessages[0]?.length).toBeLessThan(300);
      stalls.push(stallMs);
    }
    // One long text is parsed in no time; its control is the copying of it, which nobody can spare.
    if (!sent.body.includes("xxxx")) expect(Math.min(...stalls)).toBeLessThan(readingMs(sent.id, sent.body));
  });

  test("as large as the limits allow is taken, and holds up others for less than reading it takes", async () => {
    const stalls: number[] = [];
    for (let run = 0; run < 3; run++) {
      const body = Buffer.from(largest.replace('"workOrderNumber":"N"', `"workOrderNumber":"N${run}"`));
      const { stallMs, result } = await longestStall(() => envelopeOf(post(operations.confirmStep.path, body)));
      expect(result).toMatchObject({ isResultSuccess: true });
      stalls.push(stallMs);
    }
    expect(Math.min(...stalls)).toBeLessThan(readingMs("confirmStep", largest));
  });
});
