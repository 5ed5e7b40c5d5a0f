import type { TSchema } from "typebox";
import type { JsonLimits } from "../kit/scan-json.ts";
import { limits } from "./limits.ts";

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/**
 * What every object and list of a body is bounded by before it is parsed: the widest bound that the schema has for one
 * of its own, and the general one for what it does not know.
 */
export function jsonLimitsOf(schema: TSchema | undefined): JsonLimits {
  const maps = new Set<string>();
  let members: number = limits.members;
  let elements: number = limits.unknownElements;
  const walk = (shape: Shape, name: string) => {
    if (shape.additionalProperties !== undefined) maps.add(name.toLowerCase());
    members = Math.max(members, shape.maxProperties ?? 0);
    elements = Math.max(elements, shape.maxItems ?? 0);
    for (const [member, inner] of Object.entries(shape.properties ?? {})) walk(inner, member);
    if (shape.items !== undefined) walk(shape.items, name);
    if (shape.additionalProperties !== undefined) walk(shape.additionalProperties, "");
  };
  // Schemas of this room are plain JSON Schema, of these keywords among others.
  if (schema !== undefined) walk(schema as Shape, "");
  const { depth, identifierLength: nameLength } = limits;
  return { depth, members, elements, nameLength, ...(maps.size === 0 ? {} : { maps }) };
}
