import fc from "fast-check";
import { expect, test } from "vitest";
import { dataSample, validSamples } from "../../../contract/derive/samples.ts";
import { operationIds } from "../../../contract/operations.ts";
import { pseudonyms, valueScrubber } from "./scrub-value.ts";

const scrub = valueScrubber(pseudonyms(Buffer.from("a key")));
const members = operationIds.flatMap((id) => [dataSample(id), ...validSamples(id).map(({ body }) => body)]);
const names = new Set(members.flatMap((sample) => namesIn(sample)));

function namesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(held)]);
}

/** A text that must not appear anywhere, alone or inside another text. */
const secret = "Zq7";
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.tuple(fc.string(), fc.string()).map(([before, after]) => before + secret + after),
    fc.constant(4711_0815),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.constant(secret)), tie("value"), { maxKeys: 5 }),
    fc.array(tie("value"), { maxLength: 2 }).map((held) => JSON.stringify(held)),
  ),
})).value;

// Or a replaced identifier, as a key in a table of amounts by item.
const amounts =
  /amount|quantity|weight|height|width|length|volume|unit|type|order|status|result|errorCount|x[0-9a-f]{12}/i;

test("no text of a body is left, wherever it stands, and no number but amounts and enumerations", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const scrubbed = JSON.stringify(scrub(value));
      const decoded = scrubbed.replace(/[\w+/]{16,}={0,2}/g, (text) => text + Buffer.from(text, "base64").toString());
      expect(decoded).not.toContain(secret);
      for (const [, name] of scrubbed.matchAll(/"([^"]*)":\[?47110815/g)) expect(name).toMatch(amounts);
    }),
    { numRuns: 2000 },
  );
});

test("what is the same stays the same: in a body, in JSON inside a text, and in another body", () => {
  const number = "WO/47-11";
  const [order, step, report] = [
    scrub({ number, requests: [{ itemNumber: "A-1", requestedAmount: 3 }] }),
    scrub({ workOrderNumber: number, itemNumber: "A-1" }),
    scrub({ workOrdersNumbers: [number], remainingRequests: { "A-1": 2 } }),
  ] as [
    { number: string; requests: [{ itemNumber: string; requestedAmount: number }] },
    { workOrderNumber: string; itemNumber: string },
    { workOrdersNumbers: [string]; remainingRequests: Record<string, number> },
  ];
  expect(order.number).toMatch(/^x\w+\/\w+-\w+$/);
  expect([step.workOrderNumber, report.workOrdersNumbers[0]]).toEqual([order.number, order.number]);
  const [{ itemNumber, requestedAmount }] = order.requests;
  expect([step.itemNumber, report.remainingRequests]).toEqual([itemNumber, { [itemNumber]: 2 }]);
  expect(requestedAmount).toBe(3);
});

test("two recordings with different keys give the same value two names", () => {
  const other = valueScrubber(pseudonyms(Buffer.from("another key")));
  expect(other({ number: "4711" })).not.toEqual(scrub({ number: "4711" }));
});

test("two different numbers never get the same name", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, two) => {
      fc.pre(one !== two && /[\p{L}\p{N}]/u.test(one) && /[\p{L}\p{N}]/u.test(two));
      expect(scrub(one, "identifier")).not.toBe(scrub(two, "identifier"));
    }),
  );
});

test("dates, languages, amounts, flags and nulls stay, so that the order is still an order", () => {
  const kept = {
    dueDate: "2030-01-31T06:00:00Z",
    languageIsoCode: "de",
    requestedAmount: 2.5,
    isCancelled: true,
    lotNumber: null,
  };
  expect(scrub(kept)).toEqual(kept);
  expect(JSON.stringify(scrub({ dueDate: "call Mr Huber", languageIsoCode: "Huber, Graz" }))).not.toMatch(/Huber/);
});

test("what looks like a person or an address is replaced where a member's name stands, what looks like a name is kept", () => {
  const externalData = {
    ...{ customerName: 1, "@odata.type": 1, "Partner@odata.bind": 1, $type: 1, sales_area: 1 },
    ...{ "eva.huber@example.com": 1, "Eva Huber": 1, "Eva.Huber": 1, "Eva-Huber": 1, "0170 123": 1, Jörg: 1 },
  };
  const scrubbed = Object.keys(Object(scrub({ externalData, extra: externalData })).extra);
  expect(scrubbed.slice(0, 5)).toEqual(["customerName", "@odata.type", "Partner@odata.bind", "$type", "sales_area"]);
  expect(scrubbed.slice(5).every((name) => name.startsWith("text-"))).toBe(true);
});

test("a byte order mark before external data does not hide it", () => {
  expect(JSON.parse(Object(scrub({ externalData: '\uFEFF{"a":"Eva"}' })).externalData)).toEqual({
    a: expect.stringMatching(/^text-/),
  });
});

test("a body nested to overflow the stack is cut and stops nothing", () => {
  expect(scrub(JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`))).toBeInstanceOf(Array);
});

const { number } = pseudonyms(new Uint8Array(32).fill(7));

test("each number becomes a different number with as many digits", () => {
  for (const [first, last] of [
    [1, 9],
    [10, 99],
    [1000, 9999],
  ] as const) {
    const made = Array.from({ length: last - first + 1 }, (_, index) => number(first + index));
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((one) => one >= first && one <= last)).toBe(true);
  }
});

test("the same number becomes the same again, a negative one stays negative, and another key makes others", () => {
  expect(number(50_000_123)).toBe(number(50_000_123));
  expect(number(-12)).toBe(-number(12));
  expect(number(0)).toBe(0);
  const other = pseudonyms(new Uint8Array(32).fill(8));
  expect(Array.from({ length: 90 }, (_, index) => other.number(10 + index))).not.toEqual(
    Array.from({ length: 90 }, (_, index) => number(10 + index)),
  );
});
