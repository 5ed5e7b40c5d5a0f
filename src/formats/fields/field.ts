import type { TSchema } from "typebox";
import type { Language } from "../../messages/languages.ts";

type CellKind = "identifier" | "text" | "amount" | "whole-number" | "number" | "date" | "unit" | "request-type";

/** What a column of a file can mean: a field of the contract, and the headers people write over it. */
export interface Field {
  /** The contract's name. */
  readonly name: string;
  /** Line fields differ from row to row; the others belong to the whole record. */
  readonly scope: "record" | "line";
  readonly kind: CellKind;
  readonly required?: true;
  /** Of a text or identifier, as the contract says. */
  readonly maxLength?: number;
  /** Clearest header first: where two columns claim one field, the clearer one gets it. */
  readonly headers: Readonly<Partial<Record<Language, readonly string[]>>>;
  /** Takes a column whose contract name says this field when a required field would stay empty: "Order" is often the number. */
  readonly standsInFor?: string;
}

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
