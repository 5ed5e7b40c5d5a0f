import { type TObject, type TProperties, type TSchema, Type } from "typebox";

/** A closed section: an unknown key is a typing error, and ignoring it would hide that. */
export const section = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false });

/** A section that has its defaults even if the file does not mention it. */
export const group = <P extends TProperties>(description: string, properties: P): TObject<P> =>
  Type.Object(properties, { description, additionalProperties: false, default: {} });

export const budget = (description: string, fallback: number) =>
  Type.Integer({ description, default: fallback, minimum: 10, maximum: 120_000 });

/** A schema for each of these names. */
export const named = <Name extends string, S extends TSchema>(names: readonly Name[], member: (name: Name) => S) =>
  // fromEntries loses the type of the names.
  Object.fromEntries(names.map((name) => [name, member(name)])) as Record<Name, S>;
