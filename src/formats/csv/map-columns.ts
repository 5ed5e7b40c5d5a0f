import type { TSchema } from "typebox";
import type { Language } from "../../messages/languages.ts";
import { foldName } from "../fields/enum-names.ts";
import type { DetectedColumn } from "../import/file-reading.ts";
import type { FileProfile } from "../import/file-settings.ts";

type CellKind = "identifier" | "text" | "amount" | "whole-number" | "number" | "date" | "unit" | "request-type";

/** The meaning of a file's column: a field of the contract, and the headers that people use for it. */
export interface Field {
  /** The contract's name. */
  readonly name: string;
  /** Line fields differ from row to row; the others belong to the whole record. */
  readonly scope: "record" | "line";
  readonly kind: CellKind;
  readonly required?: true;
  /** Limit of a text or identifier, from the contract. */
  readonly maxLength?: number;
  /** Clearest header first: if two columns match one field, the clearer one is used. */
  readonly headers: Readonly<Partial<Record<Language, readonly string[]>>>;
  /**
   * Names a required field that may use this field's column if it has none itself: "Order" is often the order number.
   */
  readonly substitutes?: string;
}

/** The members of the contract's schemas that are used; they are plain JSON Schema. */
interface Shape {
  readonly properties?: Readonly<Record<string, { readonly maxLength?: number } | undefined>>;
}

/**
 * The fields with the lengths of the contract's schemas. With other lengths, a file could import a record that is
 * refused as a push, and strict clients could not read it.
 */
export function withLimits(fields: readonly Field[], schemas: { record: TSchema; line?: TSchema }): readonly Field[] {
  return fields.map((field) => {
    const schema = (field.scope === "line" ? schemas.line : schemas.record) as Shape | undefined;
    const maxLength = schema?.properties?.[field.name]?.maxLength;
    return maxLength === undefined ? field : { ...field, maxLength };
  });
}

export interface Column {
  readonly index: number;
  /** As written in the file. */
  readonly header: string;
  readonly field: Field;
}

/** A second column with the meaning of a column that is used. */
export interface Rival {
  readonly column: Column;
  readonly rival: Column;
}

export interface ColumnMap {
  readonly columns: readonly Column[];
  /** Columns that are only compared: if they differ from the used column, it is unclear which is right. */
  readonly rivals: readonly Rival[];
  /** Every column of the file, used or not. */
  readonly all: readonly DetectedColumn[];
  /** Required fields without a column. */
  readonly missing: readonly Field[];
  /** Headers that occur twice, so that it is unclear which one counts. */
  readonly repeated: readonly string[];
  /** Whether most headers are in a language other than English. */
  readonly isForeign: boolean;
}

interface Meaning {
  readonly field: Field;
  /** The clearer a heading, the lower its rank; the contract's own name is 0. */
  readonly rank: number;
  readonly isForeign: boolean;
}
export type HeaderIndex = ReadonlyMap<string, Meaning>;

/** Every header that is known for these fields, folded. */
export function headerIndex(fields: readonly Field[]): HeaderIndex {
  const index = new Map<string, Meaning>();
  for (const field of fields) index.set(foldName(field.name), { field, rank: 0, isForeign: false });
  for (const field of fields) {
    for (const [language, headers] of Object.entries(field.headers)) {
      for (const [position, header] of headers.entries()) {
        const folded = foldName(header);
        if (!index.has(folded)) index.set(folded, { field, rank: position + 1, isForeign: language !== "en" });
      }
    }
  }
  return index;
}

interface Claim extends Meaning {
  readonly index: number;
  readonly header: string;
}

export function mapColumns(
  headers: readonly string[],
  needs: { fields: readonly Field[]; index: HeaderIndex; profile: FileProfile | null },
): ColumnMap {
  const claims = new Map<string, Claim>();
  const losers: Claim[] = [];
  const repeated: string[] = [];
  for (const claim of claimsOf(headers, needs)) {
    const earlier = claims.get(claim.field.name);
    if (earlier === undefined) claims.set(claim.field.name, claim);
    else if (foldName(claim.header) === foldName(earlier.header)) repeated.push(claim.header);
    else if (claim.rank < earlier.rank) {
      claims.set(claim.field.name, claim);
      losers.push(earlier);
    } else losers.push(claim);
  }
  for (const field of needs.fields) if (field.required && !claims.has(field.name)) useSubstitute(field, claims);
  const columns = [...claims.values()].toSorted((one, other) => one.index - other.index);
  const fieldByIndex = new Map(columns.map(({ index, field }) => [index, field.name]));
  return {
    columns,
    rivals: rivalsAmong(claims, losers),
    all: headers.map((header, index) => ({ header, field: fieldByIndex.get(index) ?? null })),
    missing: needs.fields.filter((field) => field.required && !claims.has(field.name)),
    repeated,
    isForeign: columns.filter((column) => column.isForeign).length * 2 > columns.length,
  };
}

/** Headings that name a thing but not its number: next to a clearer heading, they belong to a descriptive text. */
const vagueHeadings = new Set(
  [
    ...["item", "article", "product", "material", "Artikel", "articolo", "artículo", "artykuł", "towar", "référence"],
    ...["Auftrag", "Beleg", "commande", "ordre", "ordine", "pedido", "orden", "opdracht", "zamówienie", "zlecenie"],
    ...["work order", "sales order", "pick order", "shipment", "delivery", "Lieferung", "Position", "line", "ligne"],
  ].map(foldName),
);
const isVague = ({ header }: Column) => vagueHeadings.has(foldName(header));

/**
 * If two text columns have the same meaning, the clearer one is used and the other is reported as unused. Two columns
 * of numbers or dates are compared, because only one can be right.
 */
function rivalsAmong(winners: ReadonlyMap<string, Claim>, losers: readonly Claim[]): Rival[] {
  return losers.flatMap((rival) => {
    const column = winners.get(rival.field.name);
    // A column named by the profile counts without comparison.
    if (column === undefined || column.rank < 0 || rival.field.kind === "text") return [];
    return isVague(rival) && !isVague(column) ? [] : [{ column, rival }];
  });
}

function* claimsOf(
  headers: readonly string[],
  needs: { fields: readonly Field[]; index: HeaderIndex; profile: FileProfile | null },
): Generator<Claim> {
  const mapped = new Map(
    Object.entries(needs.profile?.columns ?? {}).map(([header, name]) => [foldName(header), name.toLowerCase()]),
  );
  for (const [index, header] of headers.entries()) {
    const folded = foldName(header);
    const name = mapped.get(folded);
    const field = needs.fields.find((candidate) => candidate.name.toLowerCase() === name);
    const meaning = field === undefined ? needs.index.get(folded) : { field, rank: -1, isForeign: false };
    if (meaning !== undefined) yield { ...meaning, index, header };
  }
}

function useSubstitute(field: Field, claims: Map<string, Claim>): void {
  for (const [name, claim] of claims) {
    if (claim.field.substitutes !== field.name || claim.rank !== 0) continue;
    claims.delete(name);
    claims.set(field.name, { ...claim, field });
    return;
  }
}

/** Whether a header row matches a profile. */
export function fitsProfile(headers: readonly string[], profile: FileProfile): boolean {
  const wanted = profile.header ?? Object.keys(profile.columns ?? {});
  const present = new Set(headers.map(foldName));
  return wanted.length > 0 && wanted.every((header) => present.has(foldName(header)));
}
