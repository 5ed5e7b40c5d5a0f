import type { TSchema } from "typebox";
import { longNumberIn } from "../kit/exact-number.ts";

interface Shape {
  readonly properties?: Readonly<Record<string, { readonly type?: string | readonly string[] }>>;
}

/**
 * Weights, lengths and stock levels with more digits than a number keeps (a third of a kilogram) become the nearest number,
 * as a mapping makes them too. Whole numbers and identifiers do not: there the nearest is another one.
 */
export function nearestMeasures(schema: TSchema): (value: unknown) => unknown {
  // Schemas of the contract are plain JSON Schema.
  const names = Object.entries((schema as Shape).properties ?? {}).flatMap(([name, { type }]) =>
    type === "number" || (Array.isArray(type) && type.includes("number")) ? [name] : [],
  );
  if (names.length === 0) return (value) => value;
  return (value) => {
    if (typeof value !== "object" || value === null) return value;
    let members = value as Record<string, unknown>;
    for (const name of names) {
      const digits = longNumberIn(members[name]);
      if (digits !== undefined) members = { ...members, [name]: Number(digits) };
    }
    return members;
  };
}
