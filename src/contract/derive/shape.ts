import type { TSchema } from "typebox";

/** A schema of this room as the plain JSON Schema it is, for code that walks it. */
export interface Shape {
  readonly title?: string;
  readonly description?: string;
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** Sets of members of which one must be there; see `atLeastOne`. */
  readonly anyOf?: readonly { readonly required: readonly string[] }[];
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly enum?: readonly (number | null)[];
  readonly "x-enumNames"?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly format?: string;
}

// The building blocks in schemas/parts.ts are the only source of schemas, and make no other keywords.
export const shapeOf = (schema: TSchema): Shape => schema as unknown as Shape;

/** The types a value may have, null aside. */
export function typesOf(shape: Shape): readonly string[] {
  const types = typeof shape.type === "string" ? [shape.type] : shape.type;
  return types.filter((type) => type !== "null");
}

export const isNullable = (shape: Shape): boolean => typeof shape.type !== "string" && shape.type.includes("null");

export const isRequired = (owner: Shape, member: string): boolean => owner.required?.includes(member) ?? false;

/** The members of which one must be present and not null; empty where there is no such rule. */
export const choicesOf = (shape: Shape): readonly string[] => shape.anyOf?.flatMap((choice) => choice.required) ?? [];
