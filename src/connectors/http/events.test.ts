import { expect, test } from "vitest";
import { delivery, deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { answered, httpErp } from "../../../test/support/receivers/http-erp.ts";
import type { EventId } from "../../contract/operations.ts";
import { type AnyOutcome, ok, refuse } from "../../operation/outcome.ts";
import type { OpenConnector, Operate } from "../../sdk/connector.ts";

const attachment = { workOrderNumber: "4711", containerCode: "C-9" };
const { entryId } = delivery();

function event(connector: OpenConnector, id: EventId, input: unknown): Promise<AnyOutcome> {
  // The union of all operations cannot express that each has its own input type.
  const operate = connector.operations[id] as Operate<EventId> | undefined;
  if (operate === undefined) throw new Error(`${id} is not offered`);
  return Promise.resolve(operate(input as never, deliveryContext({ topic: id })));
}

test("an event is sent as it is where nothing else is configured, with the entry's id as idempotency key", async () => {
  const { connector, requests } = await httpErp({ operations: { attachWorkOrder: { path: "/attach" } } }, () => ({}));
  expect(await event(connector, "attachWorkOrder", attachment)).toEqual(ok(null));
  expect(requests[0]).toMatchObject({ method: "POST", pathname: "/attach", json: attachment });
  expect(requests[0]?.headers["idempotency-key"]).toBe(entryId);
});

test("an event may be mapped, and its parts stand in path, headers and body", async () => {
  const operations = {
    attachWorkOrder: {
      method: "PUT" as const,
      path: "/orders/{workOrderNumber}/tote",
      headers: { "X-Tote": "{containerCode}" },
      map: { tote: "containerCode", kind: { value: "TOTE" } },
      body: { args: ["{company}", "{mapped}"], entry: "{entryId}" },
      idempotencyHeader: "X-Request-Id",
    },
  };
  const { connector, requests } = await httpErp({ variables: { company: "ACME" }, operations }, () => ({}));
  await event(connector, "attachWorkOrder", { ...attachment, workOrderNumber: "a/b" });
  expect(requests[0]).toMatchObject({
    method: "PUT",
    path: "/orders/a%2Fb/tote",
    json: { args: ["ACME", { tote: "C-9", kind: "TOTE" }], entry: entryId },
  });
  expect(requests[0]?.headers).toMatchObject({ "x-tote": "C-9", "x-request-id": entryId });
});

test("the adapter's own messages are sent by their own request, if there is one", async () => {
  const notices = { path: "/receipts/{input.workOrderNumber}", map: { line: "requestExternalIdentifier" } };
  const { connector, requests } = await httpErp({ notices }, () => ({}));
  const receipt = { workOrderNumber: "4711", requestExternalIdentifier: "20", receipt: "applied" };
  expect(await connector.notices?.("changeReceipt", receipt, deliveryContext({ topic: "changeReceipt" }))).toEqual(
    ok(null),
  );
  expect(requests[0]).toMatchObject({ method: "POST", path: "/receipts/4711", json: { line: "20" } });
  expect(requests[0]?.headers["idempotency-key"]).toBe(entryId);
  expect((await httpErp({}, () => ({}))).connector.notices).toBeUndefined();
});

test("a refusal of the ERP becomes the configured result, with the ERP's text", async () => {
  const refusals = [{ code: "E17", codePath: "error.code", result: "WorkOrderAlreadyAttached" }];
  const { connector } = await httpErp(
    {
      success: { absent: "error" },
      errorText: "error.text",
      operations: { attachWorkOrder: { path: "/a", refusals } },
    },
    () => ({ error: { code: "E17", text: "hängt an C-1" } }),
  );
  expect(await event(connector, "attachWorkOrder", attachment)).toEqual(
    refuse("WorkOrderAlreadyAttached", "hängt an C-1"),
  );
});

test.each([
  ["trouble of the ERP", 503, "unreachable"],
  ["a refused login", 401, "unreachable"],
  ["a no without a configured result", 422, "rejected"],
])("%s is a fault that says whose trouble it is", async (_name, status, kind) => {
  const { connector, faultOf } = await httpErp(
    { operations: { attachWorkOrder: { path: "/a" } } },
    (_request, response) => {
      response.statusCode = status;
    },
  );
  expect((await faultOf(event(connector, "attachWorkOrder", attachment))).kind).toBe(kind);
});

test("an event that is known there already counts as delivered", async () => {
  const { connector } = await httpErp(
    { operations: { attachWorkOrder: { path: "/a", alreadyProcessed: [409] } } },
    (_request, response) => {
      response.statusCode = 409;
    },
  );
  expect(await event(connector, "attachWorkOrder", attachment)).toEqual(ok(null));
});

test.each([
  ["a login page", { "content-type": "text/html" }, "<html>", /its media type is text\/html/],
  ["JSON without a Content-Type", {}, "{}", /its media type is missing/],
])("%s does not count as a delivery, unless every media type does", async (_name, headers, body, reason) => {
  const answering = (success: object) =>
    httpErp({ operations: { attachWorkOrder: { path: "/a", ...success } } }, (_request, response) => {
      response.writeHead(200, headers).end(body);
      return answered;
    });
  const { connector, faultOf } = await answering({});
  const fault = await faultOf(event(connector, "attachWorkOrder", attachment));
  expect([fault.kind, fault.message]).toEqual(["rejected", expect.stringMatching(reason)]);
  const lenient = await answering({ success: { mediaType: "*/*" } });
  expect(await event(lenient.connector, "attachWorkOrder", attachment)).toEqual(ok(null));
});

test("an empty answer without a Content-Type is a delivery", async () => {
  const { connector } = await httpErp({ operations: { attachWorkOrder: { path: "/a" } } }, (_request, response) => {
    response.writeHead(200).end();
    return answered;
  });
  expect(await event(connector, "attachWorkOrder", attachment)).toEqual(ok(null));
});

test("an event whose condition is not met is not sent, and does not count as delivered", async () => {
  const when = { path: "isAbandonedOrCancelled", equals: true };
  const { connector, requests } = await httpErp(
    { operations: { attachWorkOrder: { path: "/release", when } } },
    () => ({}),
  );
  expect(await event(connector, "attachWorkOrder", attachment)).toEqual(
    ok(null, { isUnsent: true, unsentBecause: "no condition was met" }),
  );
  expect(requests).toEqual([]);
  await event(connector, "attachWorkOrder", { ...attachment, isAbandonedOrCancelled: true });
  expect(requests).toHaveLength(1);
});

test("a list of containers goes out as one request each, each with a key of its own that never changes", async () => {
  const moved = ["C-1", "C-2"].map((containerCode) => ({
    containerCode,
    destinationLocationName: "D",
    workOrder: { number: "1" },
  }));
  const operations = {
    relocateCartContainers: {
      path: "/move/{element.containerCode}",
      each: "input",
      map: { to: "destinationLocationName" },
    },
  };
  const { connector, requests } = await httpErp({ operations }, () => ({}));
  for (let time = 0; time < 2; time++) await event(connector, "relocateCartContainers", moved);
  expect(requests.map(({ pathname, headers, json }) => [pathname, headers["idempotency-key"], json])).toEqual(
    [1, 2].flatMap(() => [
      ["/move/C-1", `${entryId}-1`, { to: "D" }],
      ["/move/C-2", `${entryId}-2`, { to: "D" }],
    ]),
  );
});

test("several requests are sent in order, later ones can use earlier answers, and a warning is confirmed", async () => {
  const steps = [
    { method: "GET" as const, path: "/orders", query: { number: "{workOrderNumber}" } },
    { path: "/orders/{steps[0].id}/post", body: { tote: "{containerCode}" } },
    { path: "/confirm/{steps[1].warning}", when: { path: "steps[1].warning" } },
  ];
  let hasWarning = true;
  const { connector, requests } = await httpErp({ operations: { attachWorkOrder: { steps } } }, ({ pathname }) =>
    pathname === "/orders" ? { id: 77 } : hasWarning ? { warning: "w1" } : {},
  );
  await event(connector, "attachWorkOrder", attachment);
  hasWarning = false;
  await event(connector, "attachWorkOrder", attachment);
  const paths = requests.map(({ method, pathname }) => `${method} ${pathname}`);
  expect(paths).toEqual([
    "GET /orders",
    "POST /orders/77/post",
    "POST /confirm/w1",
    "GET /orders",
    "POST /orders/77/post",
  ]);
});

test("a confirmed step that was delivered changes nothing in the running order", async () => {
  const { connector } = await httpErp({ operations: { confirmStep: { path: "/steps" } } }, () => ({}));
  expect(await event(connector, "confirmStep", { workOrderNumber: "1", requestId: 7 })).toEqual(
    ok({ updateWorkOrderRequest: null }),
  );
});

test("what cannot be mapped is not sent", async () => {
  const operations = {
    confirmStep: { path: "/steps", map: { pieces: { from: "amount", number: true, round: "exact" } } },
  };
  const { connector, faultOf, requests } = await httpErp({ operations }, () => ({}));
  const fault = await faultOf(event(connector, "confirmStep", { workOrderNumber: "1", requestId: 7, amount: "many" }));
  expect([fault.kind, fault.message, requests]).toEqual(["rejected", expect.stringMatching(/^pieces: /), []]);
});

test("a code or a member of a 200 answer can mean that the event is already known, or that it must be retried later", async () => {
  const operations = {
    attachWorkOrder: {
      path: "/a",
      success: { jsonPath: "done" },
      alreadyProcessedWhen: [{ code: "DUP", codePath: "error.code" }, { path: "isKnown" }],
      tryLaterWhen: [
        { path: "state", equals: "LOCKED" },
        { status: 200, code: "BUSY" },
      ],
    },
  };
  let answer: object = {};
  const { connector } = await httpErp({ operations }, () => answer);
  const told = (next: object) => {
    answer = next;
    return event(connector, "attachWorkOrder", attachment);
  };
  expect(await told({ error: { code: "DUP" } })).toEqual(ok(null));
  expect(await told({ isKnown: true })).toEqual(ok(null));
  const onlyThisEvent = { kind: "unreachable", answer: { isBusy: true } };
  await expect(told({ state: "LOCKED" })).rejects.toMatchObject(onlyThisEvent);
  await expect(told({ code: "BUSY" })).rejects.toMatchObject(onlyThisEvent);
  await expect(told({ error: { code: "OTHER" } })).rejects.toMatchObject({ kind: "rejected" });
});

test("field rules of an event may read everything that placeholders may, each as it is at this attempt", async () => {
  const map = {
    ...{ order: "workOrderNumber", key: "entryId", kind: "topic", try: "attempt", in: "language" },
    whole: "input.containerCode",
    told: '= topic & " " & $string(attempt) & " " & entryId',
  };
  const { connector, requests } = await httpErp({ operations: { attachWorkOrder: { path: "/a", map } } }, () => ({}));
  await event(connector, "attachWorkOrder", attachment);
  expect(requests[0]?.json).toEqual({
    ...{ order: "4711", key: entryId, kind: "attachWorkOrder", try: 1, in: "en", whole: "C-9" },
    told: `attachWorkOrder 1 ${entryId}`,
  });
});

test("field rules of one element of an event may read the element, its number and the whole event", async () => {
  const each = "amountToConfirmPickingSummary.containersBreakdown";
  const map = { tote: "containerCode", of: "input.workOrderNumber", nth: "index", same: "element.containerCode" };
  const { connector, requests } = await httpErp({ operations: { confirmStep: { path: "/a", each, map } } }, () => ({}));
  const containersBreakdown = [{ containerCode: "C-1" }, { containerCode: "C-2" }];
  await event(connector, "confirmStep", { ...attachment, amountToConfirmPickingSummary: { containersBreakdown } });
  expect(requests.map(({ json }) => json)).toEqual([
    { tote: "C-1", of: "4711", nth: 0, same: "C-1" },
    { tote: "C-2", of: "4711", nth: 1, same: "C-2" },
  ]);
});

test("what rules read besides the event is no member of it", async () => {
  const map = { all: "$", key: "entryId" };
  const { connector, requests } = await httpErp({ operations: { attachWorkOrder: { path: "/a", map } } }, () => ({}));
  await event(connector, "attachWorkOrder", attachment);
  expect(requests[0]?.json).toEqual({ all: attachment, key: entryId });
});
