import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type OfferedId, operations } from "../../src/contract/operations.ts";
import { list, optional, record, text, wholeNumber } from "../../src/contract/schemas/parts.ts";
import { type AnyOutcome, ok } from "../../src/operation/outcome.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { readStrictly } from "../support/adapter/strict-reader.ts";
import { scriptedConnector } from "../support/connectors/scripted-connector.ts";

const envelope = (data: Parameters<typeof optional>[0]) =>
  record("Envelope", {
    result: wholeNumber("Result."),
    externalMessage: optional(text("Text.")),
    data: optional(data),
  });
const ordersAnswer = envelope(operations.listWorkOrders.data);
const orderAnswer = envelope(operations.findWorkOrderByCode.data);
const itemAnswer = envelope(operations.getItem.data);

const line = { itemNumber: "A", requestedAmount: 1 };
const order = { number: "odd", dueDate: "2030-01-01T08:00:00Z", requests: [line] };
const good = { ...order, number: "good" };
const half = "x\ud83d";

const oddOrders: Record<string, object> = {
  "an amount above Int32": { ...order, requests: [{ ...line, requestedAmount: 2 ** 31 }] },
  "a sequence above Int32": { ...order, requests: [{ ...line, order: 2 ** 31 }] },
  "a sequence below Int32": { ...order, requests: [{ ...line, order: -(2 ** 40) }] },
  "an offset beyond 14 hours": { ...order, dueDate: "2030-01-01T08:00:00+14:01" },
  "an offset far beyond": { ...order, dueDate: "2030-01-01T08:00:00-23:59" },
  "a moment after the year 9999 in UTC": { ...order, dueDate: "9999-12-31T23:30:00-01:00" },
  "a moment before the year 1 in UTC": { ...order, dueDate: "0001-01-01T00:30:00+01:00" },
  "half a character in a text": { ...order, description: half },
  "half a character in a line": { ...order, requests: [{ ...line, itemName: half }] },
  "half a character in a member nobody knows": { ...order, unknown: { deep: [half] } },
};

const oddItems: Record<string, object> = {
  "a decimal beyond System.Decimal": { number: "odd", weight: 1e29 },
  "the largest number there is": { number: "odd", volume: -1.7e308 },
  "half a character": { number: "odd", name: half },
};

const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

/** What the external system behind `serving` says next. */
let given: (id: OfferedId) => unknown = () => null;
let serving = "";
let own = "";
beforeAll(async () => {
  const connector = scriptedConnector((id): AnyOutcome => ok(given(id) as never));
  const onFinished = () => {};
  const adapters = await Promise.all([startAdapter({ connector, onFinished }), startAdapter({ onFinished })]);
  [serving = "", own = ""] = adapters.map(({ url }) => url);
  return async () => {
    for (const { close } of adapters) await close();
  };
});

const push = (url: string, path: string, body: unknown) =>
  fetch(url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
  });

describe("what a strict client cannot read", () => {
  test.each(Object.entries(oddOrders))("is refused when it is pushed: %s", async (_what, odd) => {
    expect((await push(own, "/inbound/work-orders", [good, odd])).status).toBe(400);
    expect((await push(own, "/inbound/work-orders", good)).status).toBe(202);
    const answer = await bytesOf(await fetch(own + operations.listWorkOrders.path));
    expect(readStrictly(answer, ordersAnswer)).toMatchObject({ data: [{ number: "good" }] });
  });

  test.each(Object.entries(oddOrders))("is withheld alone when a connector serves it: %s", async (_what, odd) => {
    given = (id) => (id === "findWorkOrderByCode" ? odd : [good, odd]);
    for (const path of [operations.listWorkOrders.path, operations.findPutWallOrders.path.replace("{code}", "1")]) {
      const answer = readStrictly(await bytesOf(await fetch(serving + path)), ordersAnswer);
      expect(answer).toMatchObject({ data: [{ number: "good" }], externalMessage: expect.stringContaining("odd") });
    }
    const scan = await fetch(`${serving}${operations.findWorkOrderByCode.path}?Code=1`);
    expect(readStrictly(await bytesOf(scan), orderAnswer)).toMatchObject({ data: null });
  });

  test.each(Object.entries(oddItems))("is no item that is served or pushed: %s", async (_what, odd) => {
    given = () => odd;
    const answer = await fetch(`${serving}/Items/odd`);
    expect(readStrictly(await bytesOf(answer), itemAnswer)).toMatchObject({ data: null });
    expect((await push(own, "/inbound/items", odd)).status).toBe(400);
  });

  test("is never in a text for the operator, whatever an external system says", async () => {
    const connector = scriptedConnector(() => ok([], { message: half as never }));
    const { url } = await startAdapter({ connector });
    const answer = await bytesOf(await fetch(url + operations.listWorkOrders.path));
    expect(readStrictly(answer, ordersAnswer)).toMatchObject({ externalMessage: "x\ufffd" });
  });

  test("is refused in an event, whose bytes go on to others", async () => {
    const event = { workOrderNumber: "1", containerCode: "C", note: half };
    const answer = await push(own, operations.attachWorkOrder.path, event);
    expect(readStrictly(await bytesOf(answer), envelope(list(text("x"), "x")))).toMatchObject({ result: 2 });
  });
});

test("whatever orders a connector gives, the list can be read by a strict client", async () => {
  const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 31, -(2 ** 31), 1e300, 0.1, 2 ** 53));
  const date = fc.oneof(
    fc.date({ noInvalidDate: true }).map((one) => one.toISOString()),
    fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: -24, max: 24 })).map(([year, hours]) => {
      const sign = hours < 0 ? "-" : "+";
      return `${String(year).padStart(4, "0")}-12-31T23:59:59.123456789${sign}${String(Math.abs(hours)).padStart(2, "0")}:00`;
    }),
  );
  const name = fc.string({ unit: "binary", maxLength: 8 });
  const halved = fc.oneof(name, fc.string({ unit: fc.constantFrom("a", "\ud83d", "\ude00") }));
  const orderGiven = fc.record({
    number: fc.oneof(name, fc.integer()),
    dueDate: date,
    description: halved,
    externalData: fc.oneof(halved, fc.dictionary(name, halved)),
    requests: fc.array(fc.record({ itemNumber: name, requestedAmount: number, order: number }), { maxLength: 2 }),
    extra: fc.jsonValue(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(orderGiven, { maxLength: 5 }), async (orders) => {
      given = () => [good, ...orders];
      const answer = await bytesOf(await fetch(serving + operations.listWorkOrders.path));
      const { data } = readStrictly(answer, ordersAnswer) as { data: readonly unknown[] };
      expect(data.length).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
});
