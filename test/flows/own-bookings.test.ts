import { expect, test, vi } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";

/** An ERP that splits a line when a part of it is booked: what is left gets a new id. */
async function splittingErp() {
  const state = { left: 100, id: 14 };
  const erp = await receiver((response, { path, body }) => {
    if (path === "/pick") {
      const { amount } = JSON.parse(body.toString()) as { amount: number };
      state.left -= amount;
      state.id++;
    }
    const order = { no: "W-1", lines: state.left === 0 ? [] : [{ id: state.id, item: "A", qty: state.left }] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(path === "/pick" ? {} : [order]));
  });
  const config = {
    connectors: {
      erp: {
        ...{ type: "http", baseUrl: new URL(erp.url).origin },
        poll: [
          {
            ...{ topic: "workOrders", path: "/orders", everySeconds: 1, ignoreOwn: true, lineKey: ["itemNumber"] },
            map: {
              number: "no",
              dueDate: { value: "2030-01-31" },
              requests: {
                each: "lines",
                map: { itemNumber: "item", requestedAmount: "qty", requestExternalIdentifier: "id" },
              },
            },
          },
        ],
        operations: {
          confirmStep: { path: "/pick", map: { amount: { from: "line.confirmedAmount", required: true } } },
        },
      },
    },
    events: { to: "erp" },
  };
  /** Until so many polls have begun and ended since. */
  const polls = async () => {
    const asked = () => erp.requests.filter(({ path }) => path === "/orders").length;
    const before = asked();
    await vi.waitFor(() => expect(asked()).toBeGreaterThan(before + 2), 60_000);
  };
  return { state, config, polls };
}

test("a poll that brings back our own booking changes nothing, and one that brings a change of the office does", async () => {
  const { state, config, polls } = await splittingErp();
  const { client } = await startAdapter({ config });
  await vi.waitFor(async () => expect((await client.listWorkOrders()).data).toHaveLength(1), 60_000);
  let remaining = 100;
  const step = async (picked: number, shown: number) => {
    const model = {
      id: 1,
      itemRequests: [{ requestId: 7, itemNumber: "A", externalIdentifier: "A", requestedAmount: shown }],
    };
    const { data } = await client.confirmStep({
      ...{ workOrderNumber: "W-1", requestId: 7, requestExternalIdentifier: "A", itemNumber: "A" },
      ...{ requestAmountInBaseUnitOfMeasure: shown, requestRemainingAmountInBaseUnitOfMeasure: remaining },
      amountToConfirmPickingSummary: { containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: picked }] },
      updateWorkOrderRequest: model,
    });
    remaining -= picked;
    return data?.updateWorkOrderRequest ?? null;
  };
  expect(await step(60, 100)).toBeNull();
  await vi.waitFor(() => expect(state.left).toBe(40), 60_000);
  await polls();
  expect(await step(1, 100)).toBeNull();
  await vi.waitFor(() => expect(state.left).toBe(39), 60_000);
  state.left -= 10;
  await polls();
  expect(await step(1, 100)).toMatchObject({ itemRequests: [{ requestId: 7, requestedAmount: 90 }] });
});
