import { choicesOf, isNullable, isRequired, type Shape, typesOf } from "./shape.ts";

export interface Spoiled {
  /** What was done, such as "is missing". */
  readonly how: string;
  /** Where, spelled as the validator spells it: `requests[0].itemNumber`; empty for the whole. */
  readonly field: string;
  readonly value: unknown;
}

/** Every way to break a good value in exactly one place. */
export function* spoil(shape: Shape, good: unknown, field = ""): Generator<Spoiled> {
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

const strangers: readonly (readonly [type: string, how: string, value: unknown])[] = [
  ["number", "a number", 42],
  ["string", "a text", "12"],
  ["array", "a list", []],
  ["object", "an object", {}],
  ["boolean", "a flag", true],
];

function* wrongValues(shape: Shape): Generator<readonly [how: string, value: unknown]> {
  const types = typesOf(shape);
  for (const [type, how, value] of strangers) {
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
