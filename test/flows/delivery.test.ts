import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { type ReceivedRequest, receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const deliverTo = (url: string, events: object = {}) => ({
  connectors: { erp: { type: "webhook", url, deployment: "north" } },
  events: { to: "erp", ...events },
});

const placement = (workOrderNumber: string, completedAmount = 1) => ({
  workOrderNumber,
  itemNumber: "A-1",
  completedAmount,
  confirmedLocationName: "Wall 1",
});

const idOf = ({ headers }: ReceivedRequest) => String(headers["ce-id"]);
const arrived = (requests: readonly unknown[], count: number) =>
  vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(count), { timeout: 60_000 });

test("an event is answered at once and reaches the external system with the bytes it came in", async () => {
  const erp = await receiver((response) => response.writeHead(204).end());
  const { client } = await startAdapter({ config: deliverTo(erp.url) });
  expect((await client.confirmPutWallPlacement(placement("1"))).isResultSuccess).toBe(true);
  await arrived(erp.requests, 1);
  const [request] = erp.requests;
  expect(JSON.parse(String(request?.body))).toEqual(placement("1"));
  expect(request?.headers).toMatchObject({ "ce-source": "north", "crossdock-attempt": "1" });
});

test("events of one order arrive in order, those of others do not wait for a refused one", async () => {
  const erp = await receiver((response, { body }) =>
    String(body).includes('"POISON"') ? response.writeHead(422).end() : response.writeHead(204).end(),
  );
  const { client } = await startAdapter({ config: deliverTo(erp.url) });
  await client.confirmPutWallPlacement({ ...placement("A", 1), itemNumber: "POISON" });
  for (let amount = 2; amount <= 4; amount++) await client.confirmPutWallPlacement(placement("A", amount));
  for (let amount = 1; amount <= 5; amount++) await client.confirmPutWallPlacement(placement("B", amount));
  await arrived(erp.requests, 6);
  const amounts = (order: string) =>
    erp.requests
      .map(({ body }) => JSON.parse(String(body)) as ReturnType<typeof placement>)
      .filter((event) => event.workOrderNumber === order)
      .map((event) => event.completedAmount);
  expect(amounts("B")).toEqual([1, 2, 3, 4, 5]);
  expect(amounts("A")).toEqual([1]);
});

test("the external system decides on an attach while the platform waits", async () => {
  const erp = await receiver((response) =>
    response
      .writeHead(409, { "content-type": "application/json" })
      .end(JSON.stringify({ result: "ContainerAlreadyAttached", message: "Tote 7 is in use." })),
  );
  const { client } = await startAdapter({ config: deliverTo(erp.url) });
  await client.push.workOrders({
    number: "9",
    dueDate: "2030-01-01",
    requests: [{ itemNumber: "A", requestedAmount: 1 }],
  });
  const answer = await client.attachWorkOrder({ workOrderNumber: "9", containerCode: "T7" });
  const refused = operations.attachWorkOrder.results.indexOf("ContainerAlreadyAttached");
  expect(answer).toMatchObject({ result: refused, externalMessage: "Tote 7 is in use." });
  // Refused is refused: the order was not begun, and nothing is sent later.
  expect((await client.listWorkOrders()).data).toHaveLength(1);
  expect(erp.requests).toHaveLength(1);
});

test("a step that is sent again gets the update that the external system answered, which is asked once", async () => {
  const line = { requestId: 1, itemNumber: "A-1", requestedAmount: 2, isCancelled: false };
  const update = { id: 7, itemRequests: [{ ...line, isCancelled: true }] };
  const erp = await receiver((response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ updateWorkOrderRequest: update })),
  );
  const { connectors, events } = deliverTo(erp.url);
  const config = { connectors: { erp: { ...connectors.erp, returnsUpdates: true } }, events };
  const { client } = await startAdapter({ config });
  const step = {
    ...{ workOrderNumber: "U", requestId: 1, itemNumber: "A-1", requestAmountInBaseUnitOfMeasure: 2 },
    updateWorkOrderRequest: { id: 7, itemRequests: [line] },
    amountToConfirmPickingSummary: { containersBreakdown: [{ amountToConfirmInBaseUnitOfMeasure: 1 }] },
  };
  const first = await client.confirmStep(step);
  expect(first.data?.updateWorkOrderRequest).toMatchObject({ itemRequests: [{ requestId: 1, isCancelled: true }] });
  expect(await client.confirmStep(step)).toEqual(first);
  expect(erp.requests).toHaveLength(1);
});

test("what is answered while the external system is down arrives once it is back, across a restart, each once", async () => {
  const folder = temporaryFolder();
  let isDown = true;
  const erp = await receiver((response) => (isDown ? response.writeHead(503).end() : response.writeHead(204).end()));
  const config = deliverTo(erp.url);
  const first = await startAdapter({ config, folder });
  for (let order = 0; order < 20; order++) {
    const answer = await first.client.confirmPutWallPlacement(placement(`D-${order}`));
    expect(answer.isResultSuccess).toBe(true);
  }
  await first.close();
  isDown = false;
  const before = erp.requests.length;
  await startAdapter({ config, folder });
  await arrived(erp.requests, before + 20);
  const delivered = erp.requests.slice(before);
  expect(new Set(delivered.map(idOf)).size).toBe(20);
  for (const request of erp.requests.slice(0, before)) expect(delivered.map(idOf)).toContain(idOf(request));
});

test("a retry of the platform gets the first answer; an equal event after a complete answer is kept", async () => {
  const erp = await receiver((response) => response.writeHead(204).end());
  const { client, url } = await startAdapter({ config: deliverTo(erp.url) });
  const { path } = operations.confirmPutWallPlacement;
  const body = JSON.stringify(placement("R"));
  // The platform loses patience and goes away before the answer: it cannot know what became of its event.
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        () => socket.resetAndDestroy(),
      );
    });
    socket.once("close", () => resolve());
  });
  await arrived(erp.requests, 1);
  await client.confirmPutWallPlacement(placement("R"));
  await client.confirmPutWallPlacement(placement("R"));
  await arrived(erp.requests, 2);
  expect(erp.requests).toHaveLength(2);
  expect(erp.requests[1]?.headers["crossdock-possible-repeat"]).toBe(idOf(erp.requests[0] as ReceivedRequest));
});

test("a change that was seen applied is reported to the external system once", async () => {
  const erp = await receiver((response) => response.writeHead(204).end());
  const { client } = await startAdapter({ config: deliverTo(erp.url) });
  await client.push.workOrders({
    number: "C",
    dueDate: "2030-01-01",
    requests: [
      { itemNumber: "A", requestedAmount: 4, requestExternalIdentifier: "L1" },
      { itemNumber: "B", requestedAmount: 2, requestExternalIdentifier: "L2" },
    ],
  });
  const step = (remaining: number, isCancelled: boolean) => ({
    workOrderNumber: "C",
    requestId: 1,
    requestExternalIdentifier: "L1",
    itemNumber: "A",
    requestAmountInBaseUnitOfMeasure: 4,
    requestRemainingAmountInBaseUnitOfMeasure: remaining,
    updateWorkOrderRequest: {
      id: 5,
      itemRequests: [
        { requestId: 1, itemNumber: "A", requestedAmount: 4, externalIdentifier: "L1" },
        { requestId: 2, itemNumber: "B", requestedAmount: 2, externalIdentifier: "L2", isCancelled },
      ],
    },
    amountToConfirmPickingSummary: {
      locationName: "S",
      containersBreakdown: [{ containerCode: null, amountToConfirmInBaseUnitOfMeasure: 1 }],
    },
  });
  await client.confirmStep(step(4, false));
  await client.push.cancellations({ workOrderNumber: "C", requestExternalIdentifier: "L2" });
  const offered = await client.confirmStep(step(3, false));
  expect(offered.data?.updateWorkOrderRequest?.itemRequests?.[1]?.isCancelled).toBe(true);
  expect((await client.confirmStep(step(2, true))).data?.updateWorkOrderRequest).toBeNull();
  const receipts = () =>
    erp.requests
      .filter(({ headers }) => headers["ce-type"] === "crossdock.changeReceipt")
      .map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>);
  await vi.waitFor(() => expect(receipts()).toHaveLength(1), { timeout: 60_000 });
  expect(receipts()[0]).toMatchObject({ workOrderNumber: "C", requestExternalIdentifier: "L2", receipt: "applied" });
});
