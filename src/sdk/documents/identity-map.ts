import type { TSchema } from "typebox";

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly type?: string | readonly string[];
}

/** Rules for records whose members are named as in the push table, so that their texts become what the table asks for. */
export function identityMap(schema: TSchema): Record<string, unknown> {
  // TSchema hides its own members; they are the JSON Schema keywords named above.
  const { properties = {} } = schema as unknown as Shape;
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, items }]) => {
      const isList = type === "array" || (Array.isArray(type) && type[0] === "array");
      if (!isList || items?.properties === undefined) return [name, { from: name }];
      // A schema within a schema is one; the library types it more narrowly.
      return [name, { each: name, map: identityMap(items as unknown as TSchema) }];
    }),
  );
}
