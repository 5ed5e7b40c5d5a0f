import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { receiver } from "../support/receivers/receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Sent {
  readonly path: string;
  readonly json: unknown;
}

/** An ERP that answers as the test says, and an adapter that sends it these operations. */
async function adapterWith(
  operations: object,
  answer: (path: string) => { status?: number; json?: unknown } = () => ({}),
) {
  const sent: Sent[] = [];
  const erp = await receiver((response, { path, body }) => {
    sent.push({ path, json: body.length === 0 ? null : JSON.parse(body.toString()) });
    const { status = 200, json = {} } = answer(path);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });
  const connector = { type: "http", baseUrl: new URL(erp.url).origin, operations };
  const adapter = await startAdapter({ config: { connectors: { erp: connector }, events: { to: "erp" } } });
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  const admin = async (path: string) => {
    const given = await fetch(`${adapter.url}/admin/${path}`, { headers });
    return (await given.json()) as { entries: Entry[] };
  };
  const push = async (order: object) => {
    const init = { method: "POST", headers, body: JSON.stringify(order) };
    const { status } = await fetch(`${adapter.url}/inbound/work-orders`, init);
    expect(status).toBe(202);
  };
  return { ...adapter, sent, admin, push, headers };
}

interface Entry {
  readonly seq: number;
  readonly topic: string;
  readonly state: string;
  readonly reason: string | null;
  readonly lastError: string | null;
}

const order = {
  number: "4711",
  externalIdentifier: "shipment-77",
  dueDate: "2030-01-01T00:00:00Z",
  externalData: { company: 3 },
  requests: [
    { itemNumber: "BOLT", requestedAmount: 2, requestExternalIdentifier: "m1", requestExternalData: { bin: "A-1" } },
    { itemNumber: "CABLE", requestedAmount: 7, unitOfMeasure: 1, requestExternalIdentifier: "m2" },
  ],
};

const step = (requestId: number, item: string, base: number, members: object = {}) => ({
  workOrderNumber: "4711",
  requestId,
  itemNumber: item,
  userEmail: "kim@example.com",
  requestAmountInBaseUnitOfMeasure: base,
  requestRemainingAmountInBaseUnitOfMeasure: base,
  amountToConfirmPickingSummary: {
    locationName: "A-1",
    containersBreakdown: [{ containerCode: "C-9", amountToConfirmInBaseUnitOfMeasure: base }],
  },
  ...members,
});
const bolt = step(1, "BOLT", 2, { requestExternalIdentifier: "m1" });
const cable = step(2, "CABLE", 7000, { requestExternalIdentifier: "m2", itemUnitOfMeasure: 1 });

test("a step is sent with the external ids of order and line, and in both units", async () => {
  const map = {
    shipment: "order.externalIdentifier",
    company: "order.data.company",
    move: "line.requestExternalIdentifier",
    bin: "line.data.bin",
    own: { from: "line.confirmedAmount", required: true },
    base: "line.confirmedAmountInBaseUnitOfMeasure",
  };
  const { client, sent, push } = await adapterWith({ confirmStep: { steps: [{ name: "book", path: "/book", map }] } });
  await push(order);
  await client.confirmStep(bolt);
  await client.confirmStep(cable);
  await vi.waitFor(() => expect(sent).toHaveLength(2), 60_000);
  expect(sent.map(({ json }) => json)).toEqual([
    { shipment: "shipment-77", company: 3, move: "m1", bin: "A-1", own: 2, base: 2 },
    { shipment: "shipment-77", company: 3, move: "m2", own: 7, base: 7000 },
  ]);
});

test("when the last line is confirmed, containers and the order are finished, each exactly once, behind the step", async () => {
  const operations = {
    confirmStep: { path: "/step" },
    containerFinished: { path: "/container" },
    orderFinished: { path: "/order" },
  };
  const { client, sent, push, admin } = await adapterWith(operations);
  await push(order);
  await client.confirmStep(bolt);
  await client.confirmStep(cable);
  // The platform's retry of the last step finishes nothing a second time.
  await client.confirmStep(cable);
  await client.changeStatus({ number: "4711", status: 3 });
  await vi.waitFor(
    () => expect(sent.map(({ path }) => path)).toEqual(["/step", "/step", "/container", "/order"]),
    60_000,
  );
  expect(sent[3]?.json).toMatchObject({
    workOrderNumber: "4711",
    workOrderExternalIdentifier: "shipment-77",
    outcome: "complete",
    userEmail: "kim@example.com",
    containers: ["C-9"],
    lines: [
      { requestExternalIdentifier: "m1", requestId: 1, requestedAmount: 2, confirmedAmount: 2, isComplete: true },
      {
        requestExternalIdentifier: "m2",
        requestedAmount: 7,
        confirmedAmount: 7,
        confirmedAmountInBaseUnitOfMeasure: 7000,
        containers: [{ containerCode: "C-9", confirmedAmount: 7, confirmedAmountInBaseUnitOfMeasure: 7000 }],
        places: [{ locationName: "A-1", confirmedAmount: 7 }],
      },
    ],
  });
  expect(sent[2]?.json).toMatchObject({ containerCode: "C-9", isOrderFinished: true, lines: [{}, {}] });
  const { entries } = await admin("journal?limit=20");
  expect(entries.filter(({ topic }) => topic === "orderFinished")).toHaveLength(1);
});

test("an order that the floor cuts short is finished short, and one that nobody asked about is not told", async () => {
  const { client, sent, push } = await adapterWith({ orderFinished: { path: "/order" } });
  await push(order);
  await push({ ...order, number: "4712" });
  await client.confirmStep(bolt);
  await client.changeStatus({ number: "4711", status: 7 });
  await vi.waitFor(() => expect(sent).toHaveLength(1), 60_000);
  expect(sent[0]?.json).toMatchObject({
    workOrderNumber: "4711",
    outcome: "short",
    lines: [
      { requestExternalIdentifier: "m1", confirmedAmount: 2, isComplete: true },
      { requestExternalIdentifier: "m2", requestedAmount: 7, confirmedAmount: 0, isComplete: false },
    ],
  });
});

test("a connector of one's own gets the derived events, each once, and its empty refusal is shown with a text", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "mine.ts");
  writeFileSync(
    path,
    `import { appendFileSync } from "node:fs";
     import { defineConnector, ok, refuse, Type } from "crossdock/sdk";
     const note = (topic) => (input, { delivery }) => {
       appendFileSync(${JSON.stringify(join(folder, "got.txt"))}, JSON.stringify([topic, input.workOrderNumber, input.outcome, delivery.topic]) + "\\n");
       return ok(null);
     };
     export default defineConnector({ type: "mine", summary: "", options: Type.Object({}),
       open: () => ({
         operations: { confirmStep: note("step"), attachWorkOrder: () => refuse("ContainerAlreadyAttached", "") },
         derived: { orderFinished: note("order"), containerFinished: note("container") },
         check: async () => {}, close: async () => {},
       }) });`,
  );
  const config = { connectors: { erp: { type: "module", path } }, events: { to: "erp" } };
  const { client, url } = await startAdapter({ config });
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  await fetch(`${url}/inbound/work-orders`, { method: "POST", headers, body: JSON.stringify(order) });
  const attached = await client.attachWorkOrder({ workOrderNumber: "4711", containerCode: "C-9" });
  expect(attached.externalMessage).toMatch(/refused this without a reason/);
  await client.confirmStep(bolt);
  await client.confirmStep(cable);
  await client.confirmStep(cable);
  const got = () => (existsSync(join(folder, "got.txt")) ? readFileSync(join(folder, "got.txt"), "utf8") : "");
  await vi.waitFor(() => expect(got()).toContain("orderFinished"), 60_000);
  expect(
    got()
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    ["step", "4711", null, "confirmStep"],
    ["step", "4711", null, "confirmStep"],
    ["container", "4711", null, "containerFinished"],
    ["order", "4711", "complete", "orderFinished"],
  ]);
});

test("nothing is derived unless a connector asks for it", async () => {
  const { client, push, admin } = await adapterWith({ confirmStep: { path: "/step" } });
  await push(order);
  await client.confirmStep(bolt);
  await client.confirmStep(cable);
  const { entries } = await admin("journal?limit=20");
  expect(entries.map(({ topic }) => topic)).toEqual(["confirmStep", "confirmStep", "workOrders"]);
});

test("an event of which nothing was sent is not called delivered, and the list says why a dead one is dead", async () => {
  const operations = {
    changeStatus: { path: "/status", when: { path: "status", in: [3] } },
    confirmPutWallPlacement: {
      steps: [
        { name: "find", path: "/find" },
        { name: "book", path: "/book" },
      ],
    },
  };
  const { client, admin } = await adapterWith(operations, (path) =>
    path === "/book" ? { status: 422, json: { message: "bin is locked" } } : {},
  );
  await client.changeStatus({ number: "1", status: 2 });
  await client.confirmPutWallPlacement({ workOrderNumber: "2", itemNumber: "A", completedAmount: 1 });
  await vi.waitFor(async () => {
    const { entries } = await admin("journal?limit=20");
    expect(entries.map(({ topic, state, reason, lastError }) => ({ topic, state, reason, lastError }))).toEqual([
      {
        topic: "confirmPutWallPlacement",
        state: "dead",
        reason: "refused",
        lastError: expect.stringMatching(/^step book \(2 of 2\): .*bin is locked/),
      },
      { topic: "changeStatus", state: "not-sent", reason: "no condition was met", lastError: null },
    ]);
  }, 60_000);
});

test("an operator's retry goes on at the step that was refused", async () => {
  let isLocked = true;
  const steps = [
    { name: "find", path: "/find" },
    { name: "book", path: "/book/{steps.find.id}" },
  ];
  const { client, sent, admin, url, headers } = await adapterWith({ confirmPutWallPlacement: { steps } }, (path) => {
    if (path === "/find") return { json: { id: 7 } };
    return isLocked ? { status: 422, json: { message: "locked" } } : {};
  });
  await client.confirmPutWallPlacement({ workOrderNumber: "2", itemNumber: "A", completedAmount: 1 });
  await vi.waitFor(async () => expect((await admin("journal")).entries[0]?.state).toBe("dead"), 60_000);
  isLocked = false;
  await fetch(`${url}/admin/journal/1/retry`, { method: "POST", headers, body: JSON.stringify({ operator: "kim" }) });
  await vi.waitFor(async () => expect((await admin("journal")).entries[0]?.state).toBe("delivered"), 60_000);
  expect(sent.map(({ path }) => path)).toEqual(["/find", "/book/7", "/book/7"]);
});

test("what the platform's time budget cuts off goes on later at that step, and the attempt names it", async () => {
  const held: (() => void)[] = [];
  const sent: string[] = [];
  const erp = await receiver((response, { path }) => {
    sent.push(path);
    const answer = () => response.writeHead(200, { "content-type": "application/json" }).end('{"id":7}');
    // The first booking is answered when nobody waits for it any more.
    if (path === "/book/7" && held.length === 0) held.push(answer);
    else answer();
  });
  const steps = [
    { name: "find", path: "/find" },
    { name: "book", path: "/book/{steps.find.id}" },
  ];
  const connector = { type: "http", baseUrl: new URL(erp.url).origin, operations: { attachWorkOrder: { steps } } };
  const adapter = await startAdapter({ config: { connectors: { erp: connector }, events: { to: "erp" } } });
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  await fetch(`${adapter.url}/inbound/work-orders`, { method: "POST", headers, body: JSON.stringify(order) });
  const attached = await adapter.client.attachWorkOrder({ workOrderNumber: "4711", containerCode: "C-9" });
  expect(attached.isResultSuccess).toBe(true);
  const shown = async () => {
    const given = await fetch(`${adapter.url}/admin/journal/2`, { headers });
    return (await given.json()) as { state: string; attemptLog: readonly { error: string | null }[] };
  };
  await vi.waitFor(async () => expect((await shown()).state).toBe("delivered"), 60_000);
  for (const answer of held) answer();
  expect(sent).toEqual(["/find", "/book/7", "/book/7"]);
  expect((await shown()).attemptLog[0]?.error).toMatch(/^step book \(2 of 2\): /);
});
