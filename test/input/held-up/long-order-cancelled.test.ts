import { expect, test } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { pushRow } from "../../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../../support/adapter/adapter.ts";

const lines = 1_500;
const cancelled = 40;

test("events are stored between the cancellations of one push, each of which changes a long order", async () => {
  const { url } = await startAdapter();
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const requests = Array.from({ length: lines }, (_, nth) => ({
    ...{ itemNumber: `A-${nth}`, requestedAmount: 5, requestExternalIdentifier: `L-${nth}` },
  }));
  const order = { number: "LONG", dueDate: "2030-01-31", requests };
  expect(await post(pushRow("workOrders").path, order)).toMatchObject({ status: 202 });
  const cancellation = (nth: number) => ({ workOrderNumber: "LONG", requestExternalIdentifier: `L-${nth}` });
  // The first change of an order takes longest.
  expect(await post(pushRow("cancellations").path, cancellation(cancelled))).toMatchObject({ status: 202 });
  let isOver = false;
  const elements = Array.from({ length: cancelled }, (_, nth) => cancellation(nth));
  const pushed = post(pushRow("cancellations").path, elements).finally(() => {
    isOver = true;
  });
  let events = 0;
  for (; !isOver; events++) {
    const placement = { workOrderNumber: `N-${events}`, itemNumber: "A", completedAmount: 1 };
    const { text } = await post(operations.confirmPutWallPlacement.path, placement);
    expect(text).toContain('"isResultSuccess":true');
  }
  expect(await pushed).toMatchObject({ status: 202 });
  expect(events).toBeGreaterThan(cancelled / 4);
  const left = await fetch(`${url}${operations.findWorkOrderByCode.path}?Code=LONG&StorageName=S`);
  expect(Object(await left.json()).data.requests).toHaveLength(lines - cancelled - 1);
});
