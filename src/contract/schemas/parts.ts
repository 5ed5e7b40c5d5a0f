import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { limits } from "../limits.ts";

/**
 * Building blocks of the schemas. Nullable members are written `type: [x, "null"]`, not as a
 * union: the compiled check is five times faster, and an error names one expectation instead of three.
 */

type Enumeration = Readonly<Record<string, number>>;

/** One of these words; with a default if one is given. */
export const choice = <const Names extends readonly string[]>(
  names: Names,
  description: string,
  fallback?: Names[number],
) =>
  Type.Unsafe<Names[number]>({
    type: "string",
    enum: [...names],
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** An identifier: a number, a code, the name of a place. */
export const identifier = (description: string) => Type.String({ description, maxLength: limits.identifierLength });
export const filledIdentifier = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: limits.identifierLength });
/** Whether a member is an identifier. Schemas of this room are plain JSON Schema with this keyword, among others. */
export const isIdentifier = (schema: TSchema): boolean =>
  (schema as { maxLength?: number }).maxLength === limits.identifierLength;
/** Characters that show nothing by themselves: soft hyphen, zero width, direction marks, fillers, variation selectors. */
const showsNothing =
  "\\u00AD\\u034F\\u061C\\u115F\\u1160\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFFA0";
/**
 * Not only blanks and the like, and no control characters but the separator of GS1 codes. Beside a visible character
 * the others may stand: emoji and Persian words need them. `minLength` decides whether an identifier may be empty.
 */
export const visiblePattern = `^(?![\\s\\u001D${showsNothing}]+$)[^\\u0000-\\u001C\\u001E\\u001F\\u007F-\\u009F]*$`;
export const text = (description: string) => Type.String({ description, maxLength: limits.textLength });
export const externalText = (description: string) => Type.String({ description, maxLength: limits.externalDataLength });
/** A file: limited only by the size of the whole body. */
export const longText = (description: string) => Type.String({ description });
const within = (limit: number) => ({ minimum: -limit, maximum: limit });
export const wholeNumber = (description: string, own: { minimum?: number } = {}) =>
  Type.Integer({ description, ...within(limits.integer), ...own });
/**
 * An id of the platform with 64 bits. It is echoed and never calculated with. If a JavaScript number cannot hold it
 * exactly, it is kept as text.
 */
export const platformId = (description: string) => Type.Integer({ description, format: "int64" });
export const amount = (description: string, own: { minimum?: number; maximum?: number } = {}) =>
  Type.Number({ description, ...within(limits.amount), ...own });
/** Marks an amount that the floor confirms, also in the published schema. */
export const confirmedMark = "x-confirmedAmount";
/** A confirmed amount: never negative, because a confirmation cannot take back an earlier one. */
export const confirmedAmount = (description: string) =>
  Type.Number({ description, ...within(limits.amount), minimum: 0, [confirmedMark]: true });
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

/** A member that may be null or missing: the platform writes explicit nulls for unknown values. */
export function optional<T extends TSchema>(schema: T) {
  // Every schema of this room is plain JSON Schema with one type, which TSchema does not show.
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: readonly unknown[] };
  return Type.Optional(
    Type.Unsafe<Static<T> | null>({
      ...rest,
      type: [type, "null"],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    }),
  );
}

/** An object that allows additional members: unknown members are kept and passed on. */
export const record = <P extends TProperties>(title: string, properties: P): TObject<P> =>
  Type.Object(properties, { title });

export const mapOf = <T extends TSchema>(values: T, description: string, maxProperties?: number) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: "object",
    description,
    additionalProperties: values,
    ...(maxProperties === undefined ? {} : { maxProperties }),
  });

/**
 * Requires one of several optional members to be present and not null. Written in plain JSON Schema, so that OpenAPI
 * includes the rule.
 */
export function atLeastOne<T extends TObject>(schema: T, names: readonly (keyof T["properties"] & string)[]): T {
  const anyOf = names.map((name) => ({
    required: [name],
    properties: { [name]: { not: { type: "null" } } },
  }));
  return { ...schema, anyOf };
}

/** A section without unknown members: an unknown key is a typing error, and ignoring it would hide that. */
export const section = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false });

/** A section whose defaults apply even if the file does not mention it. */
export const group = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false, default: {} });

/** A schema for each of these names. */
export const named = <Name extends string, S extends TSchema>(names: readonly Name[], member: (name: Name) => S) =>
  // fromEntries loses the type of the names.
  Object.fromEntries(names.map((name) => [name, member(name)])) as Record<Name, S>;
