import type { TSchema } from "typebox";
import type { Field } from "./field.ts";

/** What is looked at of the contract's schemas, which are plain JSON Schema. */
interface Shape {
  readonly properties?: Readonly<Record<string, { readonly maxLength?: number } | undefined>>;
}

/**
 * The fields with the lengths that the contract's schemas give them. A length of their own would let a file bring in what
 * a push of the same record is refused for, and strict clients could not read it.
 */
export function withLimits(fields: readonly Field[], schemas: { record: TSchema; line?: TSchema }): readonly Field[] {
  return fields.map((field) => {
    const schema = (field.scope === "line" ? schemas.line : schemas.record) as Shape | undefined;
    const maxLength = schema?.properties?.[field.name]?.maxLength;
    return maxLength === undefined ? field : { ...field, maxLength };
  });
}
