import { createHash, createHmac } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { type ReceivedRequest, receiver } from "../../../test/support/receivers/receiver.ts";
import { operationIds, operationRow } from "../../contract/operations.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { ok, refuse } from "../../operation/outcome.ts";
import { openWebhook } from "./connector.ts";
import type { WebhookOptions } from "./options.ts";

const attachment = { workOrderNumber: "4711", containerCode: "C-9" };
const step = {
  workOrderNumber: "4711",
  requestId: 7,
  updateWorkOrderRequest: { id: 99, itemRequests: [{ requestId: 7, requestedAmount: 5 }] },
};

function open(options: WebhookOptions, warnings: object[] = []) {
  const log = { ...silentLog, warn: (fields: object) => warnings.push(fields) };
  const connector = openWebhook(options, {
    clock: manualClock(),
    log,
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  onTestFinished(() => connector.close());
  const { attachWorkOrder, confirmStep } = connector.operations;
  return {
    connector,
    attach: (context = deliveryContext()) => Promise.resolve(attachWorkOrder?.(attachment, context)),
    confirm: (input: object = step) =>
      // Contains only the members of a step that the tests need.
      Promise.resolve(confirmStep?.(input as never, deliveryContext({ topic: "confirmStep" }))),
  };
}

const json = (value: unknown, status = 200) => ({ status, type: "application/json", text: JSON.stringify(value) });

/** A receiver that always gives the same answer. */
const answering = ({ status, type, text }: { status: number; type?: string; text?: string }) =>
  receiver((response) => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type });
    response.end(text ?? "");
  });

async function sent(options: Partial<WebhookOptions> = {}, context = deliveryContext()): Promise<ReceivedRequest> {
  const { url, requests } = await answering(json({}));
  await open({ url, ...options }).attach(context);
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was received");
  return request;
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error = await work.then(
    (outcome) => new Error(`no fault but ${JSON.stringify(outcome)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault)) throw error;
  return error;
}

test("every event of the contract is offered, and no query", async () => {
  const { url } = await answering({ status: 204 });
  const events = operationIds.filter((id) => operationRow(id).kind === "event");
  expect(Object.keys(open({ url }).connector.operations)).toEqual(events);
});

test("an entry is one POST with its original bytes", async () => {
  const body = '{ "containerCode": "Größe\\u0000 9",\t"n": 9007199254740993 }';
  const request = await sent({}, deliveryContext({ body }));
  expect([request.method, request.path]).toEqual(["POST", "/events"]);
  expect(request.body).toEqual(Buffer.from(body));
  expect(request.headers["content-length"]).toBe(String(Buffer.byteLength(body)));
});

test("the headers say who sends what, under which id and in which order", async () => {
  const { headers, body } = await sent({ deployment: "Lager Süd" });
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "accept-encoding": "identity",
    "content-digest": `sha-256=:${createHash("sha256").update(body).digest("base64")}:`,
    "idempotency-key": '"evt_0198c0de-0000-7000-8000-000000000001"',
    "webhook-id": "evt_0198c0de-0000-7000-8000-000000000001",
    "webhook-timestamp": "1767600000",
    "ce-specversion": "1.0",
    "ce-id": "evt_0198c0de-0000-7000-8000-000000000001",
    "ce-source": "Lager%20S%C3%BCd",
    "ce-type": "crossdock.attachWorkOrder",
    "ce-subject": "4711",
    "ce-time": "2026-01-05T08:00:00.000Z",
    "crossdock-seq": "41",
    "crossdock-key-seq": "wo:4711=3, ct:C-9=12",
    "crossdock-attempt": "1",
  });
  expect(headers).not.toHaveProperty("crossdock-replay");
  expect(headers).not.toHaveProperty("crossdock-possible-repeat");
  expect(headers).not.toHaveProperty("webhook-signature");
});

test("a later attempt, a replay and a possible repeat are marked, under the same id", async () => {
  const { headers } = await sent({}, deliveryContext({ attempt: 4, replay: 2, possibleRepeatOf: "evt_0" }));
  expect(headers).toMatchObject({
    "webhook-id": "evt_0198c0de-0000-7000-8000-000000000001",
    "crossdock-attempt": "4",
    "crossdock-replay": "2",
    "crossdock-possible-repeat": "evt_0",
  });
});

test("an order number that no header can carry arrives percent-encoded", async () => {
  const lanes = [{ lane: 'wo:Ü/1\r\nx: "%', position: 1 }];
  const { headers } = await sent({}, deliveryContext({ lanes }));
  expect(decodeURIComponent(String(headers["ce-subject"]))).toBe('Ü/1\r\nx: "%');
  expect(headers).not.toHaveProperty("x");
});

test("a relocation of a thousand containers keeps its headers short and says what it left out", async () => {
  const lanes = Array.from({ length: 1000 }, (_, index) => ({ lane: `ct:C-${index}`, position: 1 }));
  const { headers } = await sent({}, deliveryContext({ lanes }));
  const parts = String(headers["crossdock-key-seq"]).split(", ");
  expect(parts.at(-1)).toBe(`more=${1000 - (parts.length - 1)}`);
  expect(String(headers["crossdock-key-seq"]).length).toBeLessThan(2100);
});

test("each secret signs id, time and body as Standard Webhooks say", async () => {
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "plain old secret"];
  const { headers, body } = await sent({ secrets });
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const keys = [Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64"), Buffer.from("plain old secret")];
  const expected = keys.map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`);
  expect(headers["webhook-signature"]).toBe(expected.join(" "));
});

test("configured headers are sent unchanged, except for characters that a header cannot carry", async () => {
  const headers = { Authorization: "Bearer a b%20c", "x-site": "Łódź\r\nx-evil: 1" };
  const request = await sent({ headers });
  expect(request.headers).toMatchObject({
    authorization: "Bearer a b%20c",
    "x-site": "%C5%81ód%C5%BA%0D%0Ax-evil: 1",
  });
  expect(request.headers).not.toHaveProperty("x-evil");
});

test.each(["Content-Length", "host", "webhook-id", "ce-id", "Idempotency-Key", "transfer-encoding", "a b", ""])(
  "the header %j cannot be configured",
  (name) => {
    expect(() => open({ url: "http://127.0.0.1:1/", headers: { [name]: "x" } })).toThrow(Fault);
  },
);

test.each([
  ["JSON", json({ any: "thing" })],
  ["JSON of a special kind", { status: 202, type: "application/vnd.erp+json; charset=utf-8", text: "[1]" }],
  ["nothing, with 200", { status: 200, type: "text/html" }],
  ["nothing, with 204", { status: 204 }],
  ["a success by name", json({ result: "Success" })],
  ["a success by another name", json({ result: "ok" })],
])("an answer of %s is a delivery", async (_what, answer) => {
  const { url } = await answering(answer);
  expect(await open({ url }).attach()).toEqual(ok(null));
});

test.each<[string, WebhookOptions["success"], ReturnType<typeof json>, boolean]>([
  ["any type, if so configured", { mediaType: "*/*" }, { status: 200, type: "text/plain", text: "OK" }, true],
  ["a configured type", { mediaType: "text/plain" }, { status: 200, type: "text/plain", text: "OK" }, true],
  [
    "an empty answer, if that is not allowed",
    { allowEmpty: false },
    { status: 200, type: "text/plain", text: "" },
    false,
  ],
  ["another status than the configured one", { status: [202] }, json({}), false],
  ["the configured status", { status: [202] }, json({}, 202), true],
  ["the configured member", { jsonPath: "head.state", equals: "done" }, json({ head: { state: "done" } }), true],
  ["another member", { jsonPath: "head.state", equals: "done" }, json({ head: { state: "failed" } }), false],
  ["a member that is missing", { jsonPath: "head.state" }, json({ head: {} }), false],
  ["a member that is there", { jsonPath: "head.state" }, json({ head: { state: 0 } }), true],
  [
    "an empty answer, if a member is asked for",
    { jsonPath: "a" },
    { status: 200, type: "application/json", text: "" },
    false,
  ],
])("success by configuration: %s", async (_what, success, answer, isSuccess) => {
  const { url } = await answering(answer);
  const attempt = open({ url, ...(success === undefined ? {} : { success }) }).attach();
  if (isSuccess) expect(await attempt).toEqual(ok(null));
  else expect((await faultOf(attempt)).kind).toBe("rejected");
});

test("a refusal by name is the answer, with the words of the external system", async () => {
  for (const status of [200, 409, 422]) {
    const { url } = await answering(
      json({ result: "WorkOrderAlreadyAttached", message: "On C-8 since noon." }, status),
    );
    expect(await open({ url }).attach()).toEqual(refuse("WorkOrderAlreadyAttached", "On C-8 since noon."));
  }
});

test("a result that this event does not have is a fault and never a success", async () => {
  for (const status of [200, 422]) {
    const { url } = await answering(json({ result: "ItemDoesNotExist" }, status));
    expect(await faultOf(open({ url }).attach())).toMatchObject({ kind: "rejected", answer: { status } });
  }
});

test("a status and a code can be mapped to a refusal", async () => {
  const refusals = [
    { status: 422, code: "E17", codePath: "error.code", result: "ContainerDoesNotExist" },
    { status: 404, result: "WorkOrderDoesNotExist" },
  ];
  const outcomeOf = async (answer: ReturnType<typeof json>) => {
    const { url } = await answering(answer);
    return open({ url, refusals }).attach();
  };
  expect(await outcomeOf(json({ error: { code: "E17" } }, 422))).toEqual(
    refuse("ContainerDoesNotExist", say("http.refused")),
  );
  expect(await outcomeOf({ status: 404, type: "text/plain", text: "?" })).toEqual(
    refuse("WorkOrderDoesNotExist", say("http.refused")),
  );
  expect((await faultOf(outcomeOf(json({ error: { code: "E18" } }, 422)))).kind).toBe("rejected");
});

test("a mapping to a result no event has is refused when it is opened", () => {
  const refusals = [{ status: 404, result: "ItemDoesNotExist" }];
  expect(() => open({ url: "http://127.0.0.1:1/", refusals })).toThrow(/ItemDoesNotExist/);
});

test("an event the receiver already knows counts as delivered where that is configured", async () => {
  const { url } = await answering({ status: 409 });
  expect(await open({ url, alreadyProcessed: [409] }).attach()).toEqual(ok(null));
});

test("which statuses are failures of the receiver, which of the event, and which are retried quickly", async () => {
  const statuses = [300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411];
  const more = [
    412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 507, 511,
    599,
  ];
  const seen: Record<string, number[]> = {};
  const { url } = await receiver((response, _request, position) => {
    response.writeHead([...statuses, ...more][position - 1] ?? 200, { "content-type": "application/json" });
    response.end("{}");
  });
  const { attach } = open({ url });
  for (const status of [...statuses, ...more]) {
    const fault = await faultOf(attach());
    expect(fault.answer.status).toBe(status);
    const kind = fault.answer.isPassing ? "passing" : fault.kind;
    seen[kind] = [...(seen[kind] ?? []), status];
  }
  expect(seen["unreachable"]).toEqual([401, 407, 408, 429, 500, 501, 502, 503, 504, 507, 511, 599]);
  expect(seen["passing"]).toEqual([409, 423, 425]);
  expect(seen["rejected"]).toHaveLength(statuses.length + more.length - 15);
});

test("a login page in front of the receiver can be configured as a failure of the receiver", async () => {
  const { url } = await answering({ status: 200, type: "text/html", text: "<form>" });
  expect((await faultOf(open({ url, targetTrouble: [200] }).attach())).kind).toBe("unreachable");
});

test("an update for the running order is passed on with a confirmed step", async () => {
  const update = { id: 99, itemRequests: [{ requestId: 7, isCancelled: true }] };
  const { url } = await answering(json({ updateWorkOrderRequest: update }));
  expect(await open({ url }).confirm()).toEqual(ok({ updateWorkOrderRequest: update }));
});

test.each([
  ["for another order", { id: 98, itemRequests: [] }],
  ["without an id", { itemRequests: [] }],
  ["that is not valid", { id: 99, itemRequests: [{ requestId: "seven" }] }],
  ["that is no object", "cancel everything"],
])("an update %s is left out with a warning, and the step is delivered", async (_what, update) => {
  const warnings: object[] = [];
  const { url } = await answering(json({ updateWorkOrderRequest: update }));
  expect(await open({ url }, warnings).confirm()).toEqual(ok({ updateWorkOrderRequest: null }));
  expect(warnings).toHaveLength(1);
});

test("without a model in the step no update is passed on", async () => {
  const { url } = await answering(json({ updateWorkOrderRequest: { itemRequests: [] } }));
  const { updateWorkOrderRequest: _, ...bare } = step;
  expect(await open({ url }).confirm(bare)).toEqual(ok({ updateWorkOrderRequest: null }));
});

test("the adapter's own messages are sent the same way", async () => {
  const { url, requests } = await answering({ status: 204 });
  const context = deliveryContext({ topic: "changeReceipt", body: '{"receipt":"partly"}' });
  expect(await open({ url }).connector.notices?.("changeReceipt", {}, context)).toEqual(ok(null));
  expect(requests[0]).toMatchObject({ headers: { "ce-type": "crossdock.changeReceipt" } });
  expect(requests[0]?.body.toString()).toBe('{"receipt":"partly"}');
});

test("events that the adapter derives are sent only if they are named", async () => {
  const { url, requests } = await answering({ status: 204 });
  expect(open({ url }).connector.derived).toBeUndefined();
  const { derived } = open({ url, derivedEvents: ["orderFinished"] }).connector;
  expect(Object.keys(derived ?? {})).toEqual(["orderFinished"]);
  const context = deliveryContext({ topic: "orderFinished", body: '{"outcome":"short"}' });
  // The body is sent as it is in the journal.
  expect(await derived?.orderFinished?.({} as never, context)).toEqual(ok(null));
  expect(requests[0]).toMatchObject({ headers: { "ce-type": "crossdock.orderFinished" } });
});

test("a notice has no results: a no to it is a fault", async () => {
  const { url } = await answering(json({ result: "OperationFailed" }));
  const notice = open({ url }).connector.notices?.("changeReceipt", {}, deliveryContext());
  expect((await faultOf(Promise.resolve(notice))).kind).toBe("rejected");
});

test("no secret is ever in a fault, whatever the receiver echoes", async () => {
  const { url } = await receiver((response, request) => {
    response.writeHead(500, { "content-type": "text/plain" });
    response.end(JSON.stringify(request.headers) + request.path + "x".repeat(10_000));
  });
  const options = {
    secrets: ["plain-secret-1"],
    headers: { authorization: "Bearer token-token", "x-key": "key-key-key" },
  };
  const fault = await faultOf(open({ url: `${url}?code=query-secret`, ...options }).attach());
  const told = fault.message + JSON.stringify(fault.answer);
  for (const secret of ["plain-secret-1", "token-token", "key-key-key", "query-secret"]) {
    expect(told).not.toContain(secret);
  }
  expect(told).toContain("***");
  expect(Buffer.byteLength(fault.answer.text ?? "")).toBeLessThanOrEqual(2048);
  expect(Buffer.byteLength(fault.message)).toBeLessThanOrEqual(2048);
});

test("connections are used again", async () => {
  const { url, connections } = await answering({ status: 204 });
  const { attach } = open({ url });
  for (let time = 0; time < 5; time++) await attach();
  expect(connections).toHaveLength(1);
});

test("a check reaches the receiver without sending an event", async () => {
  const { url, requests } = await answering({ status: 405 });
  await open({ url }).connector.check();
  expect(requests.map(({ method }) => method)).toEqual(["HEAD"]);
});

test("a check reports a refused login and an unreachable receiver", async () => {
  const { url } = await answering({ status: 401 });
  expect((await faultOf(open({ url }).connector.check())).message).toContain("401");
  expect((await faultOf(open({ url: "http://127.0.0.1:1/" }).connector.check())).kind).toBe("unreachable");
});

test("a code or a member of an answer with status 200 can mean that the event is known, or must be sent later", async () => {
  const rules: Partial<WebhookOptions> = {
    success: { jsonPath: "done" },
    alreadyProcessedWhen: [{ code: "DUP", codePath: "error.code" }, { path: "isKnown" }],
    tryLaterWhen: [
      { path: "state", equals: "LOCKED" },
      { status: 200, code: "BUSY" },
      { status: 503, code: "CLOSED" },
    ],
  };
  const told = async (answer: object, status = 200) => {
    const { url } = await answering({ ...json(answer), status });
    return open({ url, ...rules }).attach();
  };
  expect(await told({ error: { code: "DUP" } })).toEqual(ok(null));
  expect(await told({ isKnown: true })).toEqual(ok(null));
  const onlyThisEvent = { kind: "unreachable", answer: { isBusy: true } };
  await expect(told({ state: "LOCKED" })).rejects.toMatchObject(onlyThisEvent);
  await expect(told({ code: "BUSY" })).rejects.toMatchObject(onlyThisEvent);
  const outage = await faultOf(told({ code: "CLOSED" }, 503));
  expect([outage.kind, outage.answer.isBusy]).toEqual(["unreachable", undefined]);
  await expect(told({ error: { code: "OTHER" } })).rejects.toMatchObject({ kind: "rejected" });
});

test("what looks like a placeholder in a header is sent as it is, and a check warns of it without its value", () => {
  const url = "https://erp.example.com/events";
  const { connector } = open({ url, headers: { "X-A": "order {workOrderNumber}", "X-B": "plain", "X-C": '{"a":1}' } });
  expect(connector.warnings).toEqual([expect.stringMatching(/^headers\.X-A: headers are the same for every event/)]);
  expect(connector.warnings?.join()).not.toContain("workOrderNumber");
});
