import type { FileNotes } from "../import/file-reading.ts";
import type { CsvRows } from "./csv-rows.ts";
import type { Column, ColumnMap } from "./map-columns.ts";

type SplitNumber = NonNullable<FileNotes["splitNumber"]>;

/**
 * Finds `1,0` without quotes in a file with commas. It takes two cells, and if the column after it may be blank, nothing
 * else shows that the cells have moved. A lot may be called `0`, so this is a note and no error.
 */
export function splitNumberFinder(map: ColumnMap, delimiter: string) {
  const pairs = delimiter === "," ? map.columns.flatMap((one) => pairOf(one, map)) : [];
  let found: SplitNumber | undefined;
  return {
    found: () => found,
    look: (rows: CsvRows): void => {
      if (found !== undefined) return;
      for (const { left, right, decimals } of pairs) {
        if (rows.digits(left.index) < 0 || rows.digits(right.index) < 0) continue;
        const after = rows.trimmed(right.index);
        if (!decimals.test(after)) continue;
        const text = `${rows.trimmed(left.index)},${after}`;
        found = { row: rows.row, text, columns: `${left.header}, ${right.header}` };
        return;
      }
    },
  };
}

interface Pair {
  readonly left: Column;
  readonly right: Column;
  /** What may stand after the comma. Amounts are whole; a measure may have any decimals. */
  readonly decimals: RegExp;
}

/** The column of a number and the one after it, if that holds texts and may be blank. */
function pairOf(left: Column, map: ColumnMap): Pair[] {
  const { kind } = left.field;
  if (kind !== "amount" && kind !== "number") return [];
  const right = map.columns.find(({ index }) => index === left.index + 1);
  if (right === undefined || right.field.required) return [];
  if (right.field.kind !== "text" && right.field.kind !== "identifier") return [];
  const isMeasure = kind === "number" && right.field.kind === "text";
  return [{ left, right, decimals: isMeasure ? /^\d{1,3}$/ : /^0{1,3}$/ }];
}
