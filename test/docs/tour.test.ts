import { expect, test } from "vitest";
import { RequestType } from "../../src/contract/enums.ts";
import type { ConfirmStep, UpdateWorkOrderRequest } from "../../src/contract/schemas/confirm-step.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const order = {
  number: "4711",
  dueDate: "2030-01-31",
  requests: [
    { itemNumber: "A-1", requestedAmount: 5, requestExternalIdentifier: "L1" },
    { itemNumber: "B-2", requestedAmount: 3, requestExternalIdentifier: "L2" },
  ],
};

/** The platform's own picture of the running order, as it sends it with every step. */
const model: UpdateWorkOrderRequest = {
  id: 99,
  description: "as the platform knows it",
  itemRequests: [
    {
      requestId: 1,
      itemNumber: "A-1",
      requestedAmount: 5,
      isCancelled: false,
      externalIdentifier: "L1",
      type: RequestType.PickItem,
    },
    {
      requestId: 2,
      itemNumber: "B-2",
      requestedAmount: 3,
      isCancelled: false,
      externalIdentifier: "L2",
      type: RequestType.PickItem,
    },
  ],
};

const pick = (requested: number, remaining: number, confirmed: number): ConfirmStep => ({
  workOrderNumber: "4711",
  requestId: 1,
  requestExternalIdentifier: "L1",
  itemNumber: "A-1",
  requestAmountInBaseUnitOfMeasure: requested,
  requestRemainingAmountInBaseUnitOfMeasure: remaining,
  updateWorkOrderRequest: model,
  amountToConfirmPickingSummary: {
    locationName: "Shelf 1",
    containersBreakdown: [{ containerCode: "C1", amountToConfirmInBaseUnitOfMeasure: confirmed }],
  },
});

test("push, scan, attach, pick, cancel in the middle of the pick, see it in the next answer, read the report", async () => {
  const { client } = await startAdapter();
  expect((await client.push.workOrders(order)).ids).toHaveLength(1);
  expect((await client.listWorkOrders()).data?.map(({ number }) => number)).toEqual(["4711"]);
  const scanned = await client.findWorkOrderByCode({ Code: "4711", StorageName: "Main" });
  expect(scanned.data).toMatchObject({ number: "4711", dueDate: "2030-01-31T00:00:00Z" });

  await client.attachWorkOrder({ workOrderNumber: "4711", containerCode: "C1" });
  const first = await client.confirmStep(pick(5, 5, 2));
  expect(first).toMatchObject({ isResultSuccess: true, data: { updateWorkOrderRequest: null } });
  expect((await client.listWorkOrders()).data).toEqual([]);

  await client.push.cancellations({ workOrderNumber: "4711", requestExternalIdentifier: "L2", reason: "sold out" });
  const second = await client.confirmStep(pick(5, 3, 1));
  const [pickedLine, cancelledLine] = model.itemRequests ?? [];
  expect(second.data?.updateWorkOrderRequest).toEqual({
    ...model,
    itemRequests: [pickedLine, { ...cancelledLine, isCancelled: true }],
  });

  const report = await client.getReport({
    workOrdersNumbers: ["4711"],
    storageId: "Main",
    remainingRequests: { "A-1": 2, "B-2": 0 },
  });
  expect(report.data).toEqual({
    missingQuantities: { "A-1": 2 },
    placements: [{ itemNumber: "A-1", locationName: "Shelf 1", amount: 3 }],
  });
});

test("everything that was answered is still there after a restart", async () => {
  const folder = temporaryFolder();
  const { client, close } = await startAdapter({ folder });
  await client.push.workOrders(order);
  await client.push.items({ number: "A-1", name: "Bolt" });
  await client.confirmStep(pick(5, 5, 2));
  await client.push.cancellations({ workOrderNumber: "4711", requestExternalIdentifier: "L2" });
  await close();

  const again = await startAdapter({ folder });
  expect((await again.client.getItem({ number: "a-1" })).data).toMatchObject({ name: "Bolt" });
  expect((await again.client.listWorkOrders()).data).toEqual([]);
  const next = await again.client.confirmStep(pick(5, 3, 1));
  expect(next.data?.updateWorkOrderRequest?.itemRequests?.[1]?.isCancelled).toBe(true);
});

test("the sample warehouse is there on the first start only", async () => {
  const { client } = await startAdapter({ sample: true });
  const orders = (await client.listWorkOrders()).data ?? [];
  expect(orders).toHaveLength(10);
  expect(new Set(orders.map((one) => one.designatedStorageName)).size).toBe(2);
  const batch = orders.find((one) => orders.filter((two) => two.deliveryNumber === one.deliveryNumber).length > 1);
  const putWall = await client.findPutWallOrders({ code: batch?.deliveryNumber ?? "none" });
  expect(putWall.data?.length).toBeGreaterThan(1);
  const items = new Set(orders.flatMap((one) => one.requests.map((line) => line.itemNumber)));
  for (const number of items) {
    expect((await client.getItem({ number })).isResultSuccess).toBe(true);
    const image = await client.getItemImage({ number });
    expect(image.data).toMatch(/^iVBORw0KGgo/);
  }
});
