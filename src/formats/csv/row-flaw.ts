import { foldName } from "../fields/enum-names.ts";
import type { CsvRows } from "./csv-rows.ts";
import type { Column, ColumnMap } from "./map-columns.ts";

/** A row that would be read as something it is not. */
export type RowFlaw =
  | { readonly key: "files.row.header-again" }
  | { readonly key: "files.row.rows-in-quotes"; readonly column: string };

const zero = 48;
const nine = 57;

/** Finds headings in the middle of a file, and rows that a quotation mark has swallowed. */
export function rowFlawFinder(map: ColumnMap, delimiter: string): (rows: CsvRows) => RowFlaw | null {
  const [first, ...others] = map.columns.map(headingsOf);
  const width = map.all.length;
  return (rows) => {
    if (first !== undefined && isHeading(rows, first) && others.every((one) => isHeading(rows, one))) {
      return { key: "files.row.header-again" };
    }
    if (!rows.mayHoldControl || width < 3 || !(rows.hasControl("\n") || rows.hasControl("\r"))) return null;
    for (const [index, { header }] of map.all.entries()) {
      if (holdsRows(rows.cell(index), { index, width, delimiter })) {
        return { key: "files.row.rows-in-quotes", column: header };
      }
    }
    return null;
  };
}

interface Headings {
  readonly index: number;
  /** All names of the column, folded. */
  readonly names: ReadonlySet<string>;
  readonly longest: number;
}

function headingsOf({ index, header, field }: Column): Headings {
  const all = [header, field.name, ...Object.values(field.headers).flat()];
  return { index, names: new Set(all.map(foldName)), longest: Math.max(...all.map(({ length }) => length)) };
}

/** Whether the cell names its own column, in its own words or others of the same meaning. */
function isHeading(rows: CsvRows, { index, names, longest }: Headings): boolean {
  const text = rows.trimmed(index);
  const last = text.charCodeAt(text.length - 1);
  // Most cells end with a digit, and no heading does; folding each would slow down the whole file.
  if (text === "" || text.length > longest || (last >= zero && last <= nine)) return false;
  return names.has(foldName(text));
}

/**
 * Whether a cell holds the rest of its row, whole rows, and the beginning of another one: what stands between a quotation
 * mark that was never closed and the next one in the same column.
 */
function holdsRows(text: string, { index, width, delimiter }: { index: number; width: number; delimiter: string }) {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length < 2) return false;
  const counts = lines.map((line) => line.split(delimiter).length - 1);
  return (
    counts[0] === width - 1 - index && counts.at(-1) === index && counts.slice(1, -1).every((one) => one === width - 1)
  );
}
