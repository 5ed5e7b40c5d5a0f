import type { OperationId } from "../../../src/contract/operations.ts";

const listOf = (count: number, element: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => element(index)).join(",")}]`;

const line = (index: number) =>
  `{"requestId":${index},"itemNumber":"ITEM-${index}","itemName":"Item number ${index}","itemUnitOfMeasure":0,` +
  `"requestedAmount":5,"isCancelled":false,"designatedLocationId":null,"lotNumber":"LOT-${index}","type":1,` +
  `"order":${index},"externalIdentifier":"line-${index}","externalData":"{\\"a\\":${index}}"}`;

/** A step of an order that is as long as an order may be. */
export const largestStep =
  '{"workOrderNumber":"N","requestId":1,"amountToConfirmPickingSummary":{"containersBreakdown":' +
  `[{"amountToConfirmInBaseUnitOfMeasure":1}]},"updateWorkOrderRequest":{"id":1,"itemRequests":${listOf(10_000, line)}}}`;

/** Single requests that would stop a careless service for seconds, and the text that the refusal must contain. */
export const refusedBodies: Record<string, { id: OperationId; body: string; names: RegExp }> = {
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

/** Nearly as large as an event may be, with letters beyond Latin-1, which take longest to encode. */
export const wideStep = largestStep.replaceAll('"externalData":"', `"externalData":"${"Ж€".repeat(108)}`);

/** An order of the same size, as it is pushed. */
export const wideOrder = `{"number":"N","dueDate":"2030-01-31","requests":${listOf(
  10_000,
  (index) =>
    `{"itemNumber":"ITEM-${index}","itemName":"Item number ${index}","requestedAmount":5,` +
    `"requestExternalIdentifier":"line-${index}","requestExternalData":"${"Ж€".repeat(136)}"}`,
)}}`;
