import type { TSchema } from "typebox";
import type { Language } from "../../messages/languages.ts";

type CellKind = "identifier" | "text" | "amount" | "whole-number" | "number" | "date" | "unit" | "request-type";

/** The meaning of a file's column: a field of the contract, and the headers that people use for it. */
export interface Field {
  /** The contract's name. */
  readonly name: string;
  /** Line fields differ from row to row; the others belong to the whole record. */
  readonly scope: "record" | "line";
  readonly kind: CellKind;
  readonly required?: true;
  /** Of a text or identifier, as the contract says. */
  readonly maxLength?: number;
  /** Clearest header first: if two columns match one field, the clearer one is used. */
  readonly headers: Readonly<Partial<Record<Language, readonly string[]>>>;
  /** The field may use this field's column if it is required and has none: "Order" is often the number. */
  readonly standsInFor?: string;
}

/** The members of the contract's schemas that are used; they are plain JSON Schema. */
interface Shape {
  readonly properties?: Readonly<Record<string, { readonly maxLength?: number } | undefined>>;
}

/**
 * The fields with the lengths of the contract's schemas. With other lengths, a file could import a record that is refused
 * as a push, and strict clients could not read it.
 */
export function withLimits(fields: readonly Field[], schemas: { record: TSchema; line?: TSchema }): readonly Field[] {
  return fields.map((field) => {
    const schema = (field.scope === "line" ? schemas.line : schemas.record) as Shape | undefined;
    const maxLength = schema?.properties?.[field.name]?.maxLength;
    return maxLength === undefined ? field : { ...field, maxLength };
  });
}
