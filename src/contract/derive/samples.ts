import { type OperationId, operationRow } from "../operations.ts";
import { type PushTopic, pushes, pushRow } from "../pushes.ts";
import { fileUploadSchema, imageSchema } from "../schemas/queries.ts";
import { choicesOf, isNullable, isRequired, type Shape, shapeOf, typesOf } from "./component-registry.ts";
import { type Fullness, sampleValue } from "./sample-value.ts";

/** One request as data: path, query and body values. */
export interface Sample {
  readonly name: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SpoiledSample extends Sample {
  /** The invalid member, as the validator names it; empty for the whole body. */
  readonly field: string;
}

export type SampleId = OperationId | PushTopic;

const fullnesses: readonly (readonly [name: string, fullness: Fullness])[] = [
  ["minimal", "minimal"],
  ["full", "full"],
  ["with nulls", "nulls"],
  ["with unknown members", "unknown"],
];

/** Requests that must be accepted. They also show what the schema alone does not: that lists may be empty. */
export function validSamples(id: SampleId): readonly Sample[] {
  if (isPush(id)) return validPushes(id);
  const { params, query, body } = operationRow(id);
  if (params !== undefined) {
    const texts = Object.keys(params.properties);
    return [
      { name: "full", params: textsOf(sampleValue(shapeOf(params), "full")) },
      { name: "with reserved characters", params: Object.fromEntries(texts.map((name) => [name, "A/1 %2F+ä?#.&"])) },
    ];
  }
  if (query !== undefined) {
    // A query string cannot contain null, so this variant is left out.
    return fullnesses
      .filter(([, fullness]) => fullness !== "nulls")
      .map(([name, fullness]) => ({ name, query: textsOf(sampleValue(shapeOf(query), fullness)) }));
  }
  if (body === undefined) return [{ name: "plain" }];
  const samples: Sample[] = fullnesses.map(([name, fullness]) => ({ name, body: bodyOf(id, fullness) }));
  if (shapeOf(body).type === "array") samples.push({ name: "an empty list", body: [] });
  return samples;
}

/** Requests that are invalid in exactly one place, with that place. */
export function spoiledSamples(id: SampleId): readonly SpoiledSample[] {
  if (isPush(id)) return spoiledPushes(id);
  const { query, body } = operationRow(id);
  if (query !== undefined) {
    const good = textsOf(sampleValue(shapeOf(query), "full"));
    return (shapeOf(query).required ?? []).map((field) => ({
      name: `${field}: is missing`,
      field,
      query: Object.fromEntries(Object.entries(good).filter(([name]) => name !== field)),
    }));
  }
  if (body === undefined) return [];
  return [...spoil(shapeOf(body), bodyOf(id, "full"))].map(({ how, field, value }) => ({
    name: `${field || "body"}: ${how}`,
    field,
    body: value,
  }));
}

/** What a successful answer may contain; null for events. */
export function dataSample(id: OperationId, fullness: Fullness = "full"): unknown {
  const { data } = operationRow(id);
  if (data === undefined) return null;
  return sampleValue(shapeOf(data), fullness, data === imageSchema ? "image" : "");
}

function bodyOf(id: OperationId, fullness: Fullness): unknown {
  const { body } = operationRow(id);
  if (body === undefined) return undefined;
  const value = sampleValue(shapeOf(body), fullness);
  if (body !== fileUploadSchema) return value;
  // A file with the content of the answer. Any text would fit the schema, but only this one can be imported.
  const fileContent = Buffer.from(JSON.stringify(dataSample(id, fullness === "minimal" ? "minimal" : "full"))).toString(
    "base64",
  );
  return { ...Object(value), fileContent };
}

const isPush = (id: SampleId): id is PushTopic => Object.hasOwn(pushes, id);

function validPushes(topic: PushTopic): Sample[] {
  const element = shapeOf(pushRow(topic).element);
  const samples = fullnesses.map(([name, fullness]) => ({ name, body: sampleValue(element, fullness) }));
  return [...samples, { name: "a list", body: [sampleValue(element, "full")] }];
}

function spoiledPushes(topic: PushTopic): SpoiledSample[] {
  const element = shapeOf(pushRow(topic).element);
  const good = sampleValue(element, "full");
  return [...spoil(element, good)].flatMap(({ how, field, value }) => {
    const name = `${field || "body"}: ${how}`;
    // A list in place of one element is a list of elements, and an empty list is valid, so that is no error.
    const single = Array.isArray(value) ? [] : [{ name, field, body: value }];
    const separator = field === "" || field.startsWith("[") ? "" : ".";
    return [...single, { name: `second element, ${name}`, field: `[1]${separator}${field}`, body: [good, value] }];
  });
}

// Path and query values are texts, and their schemas allow nothing else. The unknown member is left out.
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(value)).map(([name, text]) => [name, typeof text === "string" ? text : "unknown"]),
  );

interface Spoiled {
  /** What was changed, such as "is missing". */
  readonly how: string;
  /** The place, as the validator writes it: `requests[0].itemNumber`; empty for the whole. */
  readonly field: string;
  readonly value: unknown;
}

/** Every way to make a valid value invalid in exactly one place. */
function* spoil(shape: Shape, good: unknown, field = ""): Generator<Spoiled> {
  for (const [how, value] of wrongValues(shape)) yield { how, field, value };
  if (Array.isArray(good) && shape.items !== undefined) {
    for (const inner of spoil(shape.items, good[0], `${field}[0]`)) {
      yield { ...inner, value: [inner.value, ...good.slice(1)] };
    }
  } else if (isObject(good)) {
    yield* spoilMembers(shape, good, field);
  }
}

function* spoilMembers(shape: Shape, good: Record<string, unknown>, field: string): Generator<Spoiled> {
  const choices = choicesOf(shape);
  if (choices.length > 0) yield { how: "none of the choices", field, value: without(good, choices) };
  for (const member of Object.keys(good)) {
    const memberField = field === "" ? member : `${field}.${member}`;
    const memberShape = shape.properties?.[member] ?? shape.additionalProperties;
    if (memberShape === undefined) continue;
    if (isRequired(shape, member)) yield { how: "is missing", field: memberField, value: without(good, [member]) };
    for (const inner of spoil(memberShape, good[member], memberField)) {
      yield { ...inner, value: { ...good, [member]: inner.value } };
    }
  }
}

const wrongTypes: readonly (readonly [type: string, how: string, value: unknown])[] = [
  ["number", "a number", 42],
  ["string", "a text", "12"],
  ["array", "a list", []],
  ["object", "an object", {}],
  ["boolean", "a flag", true],
];

function* wrongValues(shape: Shape): Generator<readonly [how: string, value: unknown]> {
  const types = typesOf(shape);
  for (const [type, how, value] of wrongTypes) {
    if (!types.includes(type) && !(type === "number" && types.includes("integer"))) yield [how, value];
  }
  if (!isNullable(shape)) yield ["null", null];
  const enumNumbers = (shape.enum ?? []).filter((value) => value !== null);
  if (enumNumbers.length > 0) {
    yield ["a number of no meaning", Math.max(...enumNumbers) + 1];
    yield ["a negative number", -1];
  } else if (types.includes("integer")) {
    yield ["a fraction", 1.5];
  }
  if (shape.minimum !== undefined) yield ["too small", shape.minimum - 1];
  if (shape.minLength !== undefined) yield ["an empty text", ""];
  if (shape.minItems !== undefined) yield ["an empty list", []];
  if (shape.format !== undefined) yield ["not in the format", "tomorrow"];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const without = (object: Record<string, unknown>, members: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !members.includes(name)));
