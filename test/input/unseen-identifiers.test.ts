import { describe, expect, test } from "vitest";
import { shapeOf } from "../../src/contract/derive/component-registry.ts";
import { sampleValue } from "../../src/contract/derive/sample-value.ts";
import { limits } from "../../src/contract/limits.ts";
import { operations } from "../../src/contract/operations.ts";
import { type PushTopic, pushRow, pushTopics } from "../../src/contract/pushes.ts";
import { visiblePattern } from "../../src/contract/schemas/parts.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";
import { receiver } from "../support/receivers/receiver.ts";

const unseen = {
  "one blank": " ",
  "blanks of other kinds": "\u00a0\u3000",
  "characters without width": "\u200b\u200f",
  "a blank and a filler": " \u3164",
  "U+0000": "A\u0000B",
  "a tab": "A\tB",
  "a line break": "A\nB",
  "a control character beyond ASCII": "A\u0085B",
};

/** Every identifier of a pushed element, as a path. */
function* identifiersOf(topic: PushTopic): Generator<readonly string[]> {
  const { properties = {} } = shapeOf(pushRow(topic).element);
  for (const [name, { pattern, items }] of Object.entries(properties)) {
    if (pattern === visiblePattern) yield [name];
    for (const [inner, shape] of Object.entries(items?.properties ?? {})) {
      if (shape.pattern === visiblePattern) yield [name, inner];
    }
  }
}

const places = pushTopics.flatMap((topic) => [...identifiersOf(topic)].map((path) => [topic, path] as const));

test("every identifier of a push but the language of a name must be visible", () => {
  const others = pushTopics.flatMap((topic) => {
    const { properties = {} } = shapeOf(pushRow(topic).element);
    const all = Object.entries({ ...properties, ...properties["requests"]?.items?.properties });
    return all.flatMap(([name, { maxLength, pattern }]) =>
      maxLength === limits.identifierLength && pattern === undefined ? [name] : [],
    );
  });
  expect([...new Set(others)]).toEqual(["languageIsoCode"]);
  expect(places.length).toBeGreaterThan(15);
});

describe("a push with an identifier that nobody can see or scan is refused, and the answer names the member", () => {
  test.each(Object.entries(unseen))("%s", async (_what, value) => {
    const { url } = await startAdapter();
    for (const [topic, path] of places) {
      const sample = sampleValue(shapeOf(pushRow(topic).element), "full");
      // A sample of a push is an object with lists of objects.
      const element = structuredClone(sample) as Record<string, unknown>;
      const [name = "", inner] = path;
      if (inner === undefined) element[name] = value;
      else for (const line of Object(element[name])) line[inner] = value;
      const headers = { "content-type": "application/json", "x-api-key": apiKey };
      const body = JSON.stringify(element);
      const answer = await fetch(url + pushRow(topic).path, { method: "POST", body, headers });
      expect([topic, path, answer.status]).toEqual([topic, path, 400]);
      const field = inner === undefined ? name : `${name}[0].${inner}`;
      expect(JSON.stringify(await answer.json())).toContain(field);
    }
    expect(await envelopeOf(fetch(url + operations.listWorkOrders.path))).toMatchObject({ data: [] });
  });
});

const order = (number: string, lotNumber: string | null = null) => ({
  number,
  dueDate: "2030-01-31T00:00:00Z",
  requests: [{ itemNumber: "A", requestedAmount: 1, lotNumber }],
});

test("an order of a connector with such an identifier is withheld, and the others are served", async () => {
  const orders = [order("GOOD"), order("BAD\u0000"), order("BLANK-LOT", "  "), order(" ")];
  const erp = await receiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(orders)),
  );
  const baseUrl = new URL(erp.url).origin;
  const operation = { path: "/orders" };
  const config = {
    connectors: { erp: { type: "http", baseUrl, operations: { listWorkOrders: operation } } },
    serve: { workOrders: "erp" },
  };
  const { url } = await startAdapter({ config });
  const answer = await envelopeOf(fetch(url + operations.listWorkOrders.path));
  expect(answer).toMatchObject({ isResultSuccess: true, data: [{ number: "GOOD" }] });
  expect(answer.externalMessage).toMatch(/3/);
});

const quoted = (lot: string) => `number,dueDate,itemNumber,requestedAmount,lotNumber\nA,2030-01-31,I,1,"${lot}"\n`;
/** In a table, blanks are an empty cell. */
const inTables = Object.entries(unseen).filter(([, value]) => value.trim() !== "");

test.each([
  ...Object.entries(unseen).map(([what, value]) => ["JSON", what, 0, JSON.stringify([order("A", value)])] as const),
  ...inTables.map(([what, value]) => ["CSV", what, 1, quoted(value)] as const),
])("a %s file with %s in a lot is refused", async (_kind, _what, fileType, text) => {
  const { url } = await startAdapter();
  const fileContent = Buffer.from(text).toString("base64");
  const sent = fetch(url + operations.parseWorkOrderFile.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ fileContent, fileType }),
  });
  const answer = await envelopeOf(sent);
  expect(answer).toMatchObject({ isResultSuccess: false, data: null });
  expect(answer.validationStatus?.errorMessages.join()).toMatch(/lotNumber|Row 2/);
});

test("an event of the platform may carry one: what was served before comes back with it", async () => {
  const { url } = await startAdapter();
  const sent = fetch(url + operations.confirmPutWallPlacement.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workOrderNumber: "A\u0001", itemNumber: " ", completedAmount: 1 }),
  });
  expect(await envelopeOf(sent)).toMatchObject({ isResultSuccess: true });
});
