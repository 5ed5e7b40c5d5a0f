import { beforeAll, describe, expect, test } from "vitest";
import { requestFor } from "../../src/contract/derive/client.ts";
import { type Shape, shapeOf, typesOf } from "../../src/contract/derive/component-registry.ts";
import { validSamples } from "../../src/contract/derive/samples.ts";
import { operationIds, operationRow } from "../../src/contract/operations.ts";
import { optional, record, text, wholeNumber } from "../../src/contract/schemas/parts.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { readStrictly } from "../support/adapter/strict-reader.ts";

// Numbers, moments and texts at and beyond what a strict client has, at every place of every route. They are written into
// the text of the request, because JavaScript could not hold most of them.

const numbers = [
  ...["2147483647", "2147483648", "-2147483649", "9007199254740993", "9223372036854775807", "9223372036854775808"],
  ...["79228162514264337593543950335", "79228162514264337593543950336", "1e28", "1e29", "1e400", "-1e400"],
  ...["0.1234567890123456789012345678901", "1e-400", "-0", "1.0", "1E2", "1.5", '"1"', "true", "[]", "{}"],
];
const moments = [
  ...[
    "2030-01-01T08:00:00+14:00",
    "2030-01-01T08:00:00+14:01",
    "2030-01-01T08:00:00-23:59",
    "2030-01-01T08:00:00+99:99",
  ],
  ...[
    "9999-12-31T23:30:00-01:00",
    "0001-01-01T00:30:00+01:00",
    "10000-01-01T00:00:00Z",
    "2030-02-30",
    "2030-01-01T24:00:00Z",
  ],
].map((moment) => JSON.stringify(moment));
const texts = [
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\uffff"',
  '" "',
  '""',
  '"\\ud83d\\ude00"',
  "7",
  "null",
  "{}",
];

interface Place {
  readonly path: readonly (string | number)[];
  readonly tokens: readonly string[];
}

/** Every leaf of a value, with what is tried there. */
function* placesOf(shape: Shape, value: unknown, path: Place["path"] = []): Generator<Place> {
  if (Array.isArray(value)) {
    const [first] = value;
    if (shape.items !== undefined && first !== undefined) yield* placesOf(shape.items, first, [...path, 0]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const inner = shape.properties?.[name] ?? shape.additionalProperties;
      if (inner !== undefined) yield* placesOf(inner, member, [...path, name]);
    }
  } else {
    const types = typesOf(shape);
    if (types.includes("integer") || types.includes("number")) yield { path, tokens: numbers };
    else if (shape.format === "date-time") yield { path, tokens: moments };
    else if (types.includes("string")) yield { path, tokens: texts };
  }
}

const mark = "the place of the token";

/** The text of a value with a token at a place. */
function withToken(value: unknown, path: Place["path"], token: string): string {
  const copy = structuredClone({ root: value });
  let owner: Record<string | number, unknown> = copy;
  let last: string | number = "root";
  for (const step of path) {
    // Lists and objects, as the path has found them.
    owner = owner[last] as Record<string | number, unknown>;
    last = step;
  }
  owner[last] = mark;
  return JSON.stringify(copy.root).replace(JSON.stringify(mark), () => token);
}

const withBody = operationIds.filter((id) => operationRow(id).body !== undefined);

describe("whatever a route is sent, its answer is an envelope that a strict client reads", () => {
  let url = "";
  beforeAll(async () => {
    const adapter = await startAdapter({ onFinished: () => {}, sample: true });
    url = adapter.url;
    return adapter.close;
  });

  const answerOf = (id: (typeof operationIds)[number]) => {
    const { data } = operationRow(id);
    return record("Envelope", {
      result: wholeNumber("Result."),
      externalMessage: optional(text("Text.")),
      ...(data === undefined ? {} : { data: optional(data) }),
    });
  };

  /** An answer that is neither a success nor a named refusal comes from an error nobody has thought of. */
  async function expectReadable(id: (typeof operationIds)[number], response: Response, sent: string) {
    expect([response.status, sent]).toEqual([200, sent]);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const answer = Object(readStrictly(bytes, answerOf(id)));
    const { results } = operationRow(id);
    const isUnforeseen = results[answer.result] === "OperationFailed" && answer.validationStatus === null;
    expect([isUnforeseen, sent, answer.externalMessage]).toEqual([false, sent, answer.externalMessage]);
  }

  test.each(withBody)("%s, at each of its members", { timeout: 240_000 }, async (id) => {
    const row = operationRow(id);
    const full = validSamples(id).find(({ name }) => name === "full")?.body;
    const places = [...placesOf(shapeOf(row.body ?? {}), full)];
    expect(places.length).toBeGreaterThan(0);
    for (const { path, tokens } of places) {
      for (const token of tokens) {
        const body = withToken(full, path, token);
        const headers = { "content-type": "application/json" };
        const response = await fetch(url + row.path, { method: row.method, headers, body });
        await expectReadable(id, response, `${path.join(".")} = ${token}`);
      }
    }
  });

  const withoutBody = operationIds.filter((id) => !withBody.includes(id) && id !== "getStatus");
  test.each(withoutBody)("%s, in its address", async (id) => {
    const { params, query } = operationRow(id);
    const names = Object.keys({ ...params?.properties, ...query?.properties });
    const values = ["\u0000", "\uffff", "😀", " ", "1e400", "x".repeat(256), "x".repeat(257), "%", "/"];
    for (const value of names.length === 0 ? [""] : values) {
      const given = Object.fromEntries(names.map((name) => [name, value]));
      const { path } = requestFor(operationRow(id), given);
      const response = await fetch(url + path);
      await expectReadable(id, response, JSON.stringify(value));
    }
  });

  test("and the lists are read after all of that", async () => {
    for (const id of ["listWorkOrders", "getExportColumns", "getIndexableValueLabel"] as const) {
      await expectReadable(id, await fetch(url + operationRow(id).path), id);
    }
  });
});
