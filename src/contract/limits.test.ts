import { describe, expect, test } from "vitest";
import { type Shape, shapeOf, typesOf } from "./derive/component-registry.ts";
import { sampleValue } from "./derive/sample-value.ts";
import { operationIds, operationRow } from "./operations.ts";
import { pushRow, pushTopics } from "./pushes.ts";
import { validator } from "./validate/validator.ts";

interface Bounded {
  readonly field: string;
  readonly limit: number;
  /** The whole input with this member at its limit, and one above it. */
  readonly at: unknown;
  readonly above: unknown;
}

/** Every member that has a limit, inside an otherwise good input. */
function* boundedMembers(shape: Shape, good: unknown, field = ""): Generator<Bounded> {
  const { maxLength, maxItems, maximum } = shape;
  const types = typesOf(shape);
  if (maxLength !== undefined && types.includes("string")) {
    yield { field, limit: maxLength, at: "x".repeat(maxLength), above: "x".repeat(maxLength + 1) };
  }
  if (maximum !== undefined) yield { field, limit: maximum, at: maximum, above: maximum + 1 };
  if (Array.isArray(good) && maxItems !== undefined && maxItems <= 10_000) {
    const all = Array.from({ length: maxItems }, () => good[0]);
    yield { field, limit: maxItems, at: all, above: [...all, good[0]] };
  }
  const inner = Array.isArray(good) ? [["0", good[0]] as const] : isObject(good) ? Object.entries(good) : [];
  for (const [name, member] of inner) {
    const own = shape.properties?.[name] ?? shape.items ?? shape.additionalProperties;
    if (own === undefined) continue;
    const place = Array.isArray(good) ? `${field}[0]` : field === "" ? name : `${field}.${name}`;
    for (const { at, above, ...rest } of boundedMembers(own, member, place)) {
      const around = (value: unknown) => (Array.isArray(good) ? [value] : { ...Object(good), [name]: value });
      yield { ...rest, at: around(at), above: around(above) };
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const inputs = [
  ...operationIds.flatMap((id) => {
    const { body, query, params } = operationRow(id);
    const schema = body ?? query ?? params;
    return schema === undefined ? [] : [[id, schema] as const];
  }),
  ...pushTopics.map((topic) => [topic, pushRow(topic).element] as const),
];

describe.each(inputs)("of %s", (_name, schema) => {
  const checks = validator(schema);
  const shape = shapeOf(schema);
  const bounded = [...boundedMembers(shape, sampleValue(shape, "full"))];

  test("every member takes its limit, and one more is an error that names the limit", () => {
    for (const { field, limit, at, above } of bounded) {
      if (!/image|dueDate|DeliveryDate|asOf/.test(field)) expect(checks.problems(at), field).toEqual([]);
      expect(checks.isValid(above), field).toBe(false);
      expect(checks.problems(above), field).toMatchObject([{ field, detail: String(limit) }]);
    }
  });

  test("every text, number and list has a bound", () => {
    const unbounded = [...membersOf(shape, "")].filter(
      ([field, { maxLength, maximum, maxItems, type, format, enum: values }]) =>
        values === undefined &&
        format === undefined &&
        ![maxLength, maximum, maxItems].some((limit) => limit !== undefined) &&
        /string|number|integer|array/.test(String(type)) &&
        // The size of a file is limited only by the body that contains it.
        field !== "fileContent",
    );
    expect(unbounded).toEqual([]);
  });
});

function* membersOf(shape: Shape, field: string): Generator<[string, Shape]> {
  yield [field, shape];
  for (const [name, member] of Object.entries(shape.properties ?? {})) yield* membersOf(member, name);
  if (shape.items !== undefined) yield* membersOf(shape.items, `${field}[]`);
  if (shape.additionalProperties !== undefined) yield* membersOf(shape.additionalProperties, `${field}{}`);
}
