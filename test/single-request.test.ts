import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "../src/contract/operations.ts";
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

const refused: Record<string, { path: string; body: string; names: RegExp }> = {
  "600,000 members that nobody knows": {
    path: operations.attachWorkOrder.path,
    body: `{"workOrderNumber":"1","containerCode":"C",${listOf(600_000, (index) => `"m${index}":1`).slice(1, -1)}}`,
    names: /1000 members/,
  },
  "2.6 million empty elements": {
    path: operations.relocateCartContainers.path,
    body: `[${"{},".repeat(2_600_000)}{}]`,
    names: /elements/,
  },
  "an order number of 7.9 MB": {
    path: operations.confirmPutWallPlacement.path,
    body: JSON.stringify({ workOrderNumber: "x".repeat(7_900_000), itemNumber: "A", completedAmount: 1 }),
    names: /256 characters/,
  },
  "a report of a million numbers": {
    path: operations.getReport.path,
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

  /** How long this thread would be held up by reading the body in it. */
  const readingMs = (body: string) => {
    const start = workedMs();
    JSON.parse(body);
    return workedMs() - start;
  };

  test.each(Object.entries(refused))("with %s is refused, names the limit and holds up nobody", async (_what, sent) => {
    const body = Buffer.from(sent.body);
    const stalls: number[] = [];
    for (let run = 0; run < 2; run++) {
      const { stallMs, result } = await longestStall(() => envelopeOf(post(sent.path, body)));
      expect(result).toMatchObject({ isResultSuccess: false, validationStatus: { errorCount: 1 } });
      expect(result.validationStatus?.errorMessages[0]).toMatch(sent.names);
      expect(result.validationStatus?.errorMessages[0]?.length).toBeLessThan(300);
      stalls.push(stallMs);
    }
    // One long text is parsed in no time; its control is the copying of it, which nobody can spare.
    if (!sent.body.includes("xxxx")) expect(Math.min(...stalls)).toBeLessThan(readingMs(sent.body));
  });

  test("as large as the limits allow is taken, and holds up others for less than reading it takes", async () => {
    const stalls: number[] = [];
    for (let run = 0; run < 3; run++) {
      const body = Buffer.from(largest.replace('"workOrderNumber":"N"', `"workOrderNumber":"N${run}"`));
      const { stallMs, result } = await longestStall(() => envelopeOf(post(operations.confirmStep.path, body)));
      expect(result).toMatchObject({ isResultSuccess: true });
      stalls.push(stallMs);
    }
    expect(Math.min(...stalls)).toBeLessThan(readingMs(largest) * 2);
  });
});
