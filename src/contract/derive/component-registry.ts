import type { TSchema } from "typebox";
import * as enums from "../enums.ts";
import { resultNumber } from "../envelope.ts";
import { limits } from "../limits.ts";
import type { Operation } from "../operation.ts";

export type JsonObject = { readonly [member: string]: unknown };

export interface ComponentRegistry {
  /** Returns a reference if the schema has a name, otherwise the schema itself. */
  readonly place: (shape: Shape) => JsonObject;
  /** Names a schema that is not part of the table, such as an envelope, and returns a reference to it. */
  readonly define: (name: string, schema: JsonObject) => JsonObject;
  /** All named schemas so far, by name. */
  readonly all: () => Record<string, JsonObject>;
}

/** Collects schemas by their titles while the document is built. */
export function componentRegistry(): ComponentRegistry {
  const components = new Map<string, JsonObject>();

  const define = (name: string, schema: JsonObject): JsonObject => {
    const known = components.get(name);
    // Otherwise two schemas with the same name would silently document the wrong one.
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

/** Numbers with their names, in the two notations that code generators read. */
const enumNumbers = (names: readonly string[], numbers: readonly number[]): JsonObject => ({
  type: "integer",
  enum: numbers,
  "x-enumNames": names,
  "x-enum-varnames": names,
  description: names.map((name, i) => `${numbers[i]} ${name}`).join(", "),
});

const mapValues = <In, Out>(object: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** `{ errorMessages, isValid, errorCount }`, set only when validation failed. */
export const validationStatusSchema: JsonObject = {
  type: "object",
  description: "The validation errors, in the language of the request.",
  required: ["errorMessages", "isValid", "errorCount"],
  properties: {
    errorMessages: { type: "array", items: { type: "string" }, description: "At most 100 texts." },
    isValid: { type: "boolean", description: "Always false here." },
    errorCount: { type: "integer", description: "The total number of errors, even if the list was cut." },
  },
};

/** The envelope of one row: its own result numbers, its own data, and the rule between them. */
export function envelopeSchema(row: Operation, data: JsonObject | null, validationStatus: JsonObject): JsonObject {
  return {
    type: "object",
    required: ["isResultSuccess", "result", "validationStatus", "externalMessage", "data"],
    properties: {
      isResultSuccess: {
        type: "boolean",
        description: `True exactly when result is ${resultNumber(row, row.success)} (${row.success}).`,
      },
      result: { ...enumNumbers(row.results, [...row.results.keys()]), description: resultTable(row) },
      validationStatus: { anyOf: [validationStatus, { type: "null" }] },
      externalMessage: { type: ["string", "null"], description: "Text for the operator." },
      data: data === null ? { type: "null" } : { anyOf: [data, { type: "null" }] },
    },
    if: { properties: { result: { const: resultNumber(row, row.success) } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { isResultSuccess: { const: true }, ...(data === null ? {} : { data }) } },
    else: { properties: { isResultSuccess: { const: false }, data: { type: "null" } } },
  };
}

/** Result numbers and names as Markdown, with the success marked. */
export function resultTable(row: Operation): string {
  const lines = row.results.map(
    (name, number) => `| ${number} | ${name === row.success ? `**${name}** (success)` : name} |`,
  );
  return ["| Number | Result |", "|---|---|", ...lines].join("\n");
}

/** A schema of this room as plain JSON Schema, for code that walks it. */
export interface Shape {
  readonly title?: string;
  readonly description?: string;
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** Sets of members of which one must be present; see `atLeastOne`. */
  readonly anyOf?: readonly { readonly required: readonly string[] }[];
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly enum?: readonly (number | null)[];
  readonly "x-enumNames"?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly format?: string;
}

// The building blocks in schemas/parts.ts are the only source of schemas, and use no other keywords.
export const shapeOf = (schema: TSchema): Shape => schema as unknown as Shape;

/** The types a value may have, without null. */
export function typesOf(shape: Shape): readonly string[] {
  const types = typeof shape.type === "string" ? [shape.type] : shape.type;
  return types.filter((type) => type !== "null");
}

export const isNullable = (shape: Shape): boolean => typeof shape.type !== "string" && shape.type.includes("null");

export const isRequired = (owner: Shape, member: string): boolean => owner.required?.includes(member) ?? false;

/** The members of which one must be present and not null; empty if there is no such rule. */
export const choicesOf = (shape: Shape): readonly string[] => shape.anyOf?.flatMap((choice) => choice.required) ?? [];
