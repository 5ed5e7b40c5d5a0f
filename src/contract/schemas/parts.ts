import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { limits } from "../limits.ts";

/**
 * Building blocks of the schemas. Nullable members are written `type: [x, "null"]` and not as a
 * union: the compiled check is five times faster, and an error names one expectation instead of three.
 */

type Enumeration = Readonly<Record<string, number>>;

/** What something is known by: a number, a code, the name of a place. */
export const identifier = (description: string) => Type.String({ description, maxLength: limits.identifierLength });
export const filledIdentifier = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: limits.identifierLength });
export const text = (description: string) => Type.String({ description, maxLength: limits.textLength });
export const filledText = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: limits.textLength });
export const externalText = (description: string) => Type.String({ description, maxLength: limits.externalDataLength });
/** Bounded by the limit of the whole body alone: a file. */
export const longText = (description: string) => Type.String({ description });
const within = (limit: number) => ({ minimum: -limit, maximum: limit });
export const wholeNumber = (description: string, own: { minimum?: number } = {}) =>
  Type.Integer({ description, ...within(limits.integer), ...own });
/** An id of the platform: echoed, never counted with, and of 64 bits. What no number holds exactly is carried as text. */
export const platformId = (description: string) => Type.Integer({ description, format: "int64" });
export const amount = (description: string, own: { minimum?: number } = {}) =>
  Type.Number({ description, ...within(limits.amount), ...own });
export const flag = (description: string) => Type.Boolean({ description });
export const dateTime = (description: string) => Type.String({ description, format: "date-time" });
export const list = <T extends TSchema>(items: T, description: string, maxItems?: number) =>
  Type.Array(items, { description, ...(maxItems === undefined ? {} : { maxItems }) });

export const enumNumber = <E extends Enumeration>(names: E, description: string) =>
  Type.Unsafe<E[keyof E]>({
    type: "integer",
    description,
    enum: Object.values(names),
    "x-enumNames": Object.keys(names),
  });

/** A member that may be null or absent: the platform writes explicit nulls for what it does not know. */
export function optional<T extends TSchema>(schema: T) {
  // Every schema of this room is plain JSON Schema with one type; TSchema does not say so.
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: readonly unknown[] };
  return Type.Optional(
    Type.Unsafe<Static<T> | null>({
      ...rest,
      type: [type, "null"],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    }),
  );
}

/** An object open to further members: what we do not know is kept and passed on. */
export const record = <P extends TProperties>(title: string, properties: P): TObject<P> =>
  Type.Object(properties, { title });

export const mapOf = <T extends TSchema>(values: T, description: string, maxProperties?: number) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: "object",
    description,
    additionalProperties: values,
    ...(maxProperties === undefined ? {} : { maxProperties }),
  });

/** Requires one of several optional members to be present and not null, in plain JSON Schema so that OpenAPI says it too. */
export function atLeastOne<T extends TObject>(schema: T, names: readonly (keyof T["properties"] & string)[]): T {
  const anyOf = names.map((name) => ({
    required: [name],
    properties: { [name]: { not: { type: "null" } } },
  }));
  return { ...schema, anyOf };
}
