import * as enums from "../enums.ts";
import { limits } from "../limits.ts";
import { isNullable, type Shape, typesOf } from "./shape.ts";

export type JsonObject = { readonly [member: string]: unknown };

export interface ComponentRegistry {
  /** The schema for use in place: a reference for what has a name, itself for what has none. */
  readonly place: (shape: Shape) => JsonObject;
  /** Names a schema that is no part of the table, such as an envelope, and refers to it. */
  readonly define: (name: string, schema: JsonObject) => JsonObject;
  /** All named schemas so far, by name. */
  readonly all: () => Record<string, JsonObject>;
}

/** Collects schemas by their titles while the document is being built. */
export function componentRegistry(): ComponentRegistry {
  const components = new Map<string, JsonObject>();

  const define = (name: string, schema: JsonObject): JsonObject => {
    const known = components.get(name);
    // Two shapes under one name would silently document the wrong one.
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are called ${name}`);
    }
    components.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  };

  const place = (shape: Shape): JsonObject => {
    const enumName = enumNameOf(shape);
    if (enumName !== null) return orNull(define(enumName, enumSchema(enumName)), shape);
    if (shape.title === undefined) return inline(shape, place);
    const { title, ...rest } = shape;
    return orNull(define(title, inline({ ...rest, type: typesOf(shape)[0] ?? "object" }, place)), shape);
  };

  return {
    place,
    define,
    all: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function inline(shape: Shape, place: (shape: Shape) => JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...rest } = shape;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties, place), maxProperties: limits.members }),
    ...(items === undefined ? {} : { items: place(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: place(additionalProperties) }),
  };
}

function orNull(reference: JsonObject, shape: Shape): JsonObject {
  const description = shape.description === undefined ? {} : { description: shape.description };
  return isNullable(shape)
    ? { ...description, anyOf: [reference, { type: "null" }] }
    : { ...reference, ...description };
}

export function enumNameOf(shape: Shape): string | null {
  const names = shape["x-enumNames"]?.join();
  if (names === undefined) return null;
  return Object.entries(enums).find(([, values]) => Object.keys(values).join() === names)?.[0] ?? null;
}

function enumSchema(name: string): JsonObject {
  const values = Object.entries(enums).find(([known]) => known === name)?.[1] ?? {};
  return enumNumbers(Object.keys(values), Object.values(values));
}

/** Numbers with their names, in the two spellings that code generators read. */
export const enumNumbers = (names: readonly string[], numbers: readonly number[]): JsonObject => ({
  type: "integer",
  enum: numbers,
  "x-enumNames": names,
  "x-enum-varnames": names,
  description: names.map((name, i) => `${numbers[i]} ${name}`).join(", "),
});

const mapValues = <In, Out>(object: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
