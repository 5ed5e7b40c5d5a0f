import type { FileNotes } from "../import/file-reading.ts";
import type { CsvRows } from "./csv-rows.ts";
import type { Column, ColumnMap } from "./map-columns.ts";

type SplitNumber = NonNullable<FileNotes["splitNumber"]>;

/**
 * Finds `1,0` and `1,500` without quotes in a file with commas. They take two cells, and if the column after it may be
 * blank, nothing else shows that the cells have moved. A lot may be called `0` or `500`, so this is a note and no error.
 */
export function splitNumberFinder(map: ColumnMap, delimiter: string) {
  const pairs = delimiter === "," ? map.columns.flatMap((one) => pairOf(one, map)) : [];
  let decimal: SplitNumber | undefined;
  return {
    found: () => decimal ?? pairs.find(({ thousands, isOther }) => thousands !== undefined && !isOther)?.thousands,
    look: (rows: CsvRows): void => {
      if (decimal !== undefined) return;
      for (const pair of pairs) {
        const { left, right, decimals } = pair;
        if (rows.digits(right.index) < 0) {
          pair.isOther ||= rows.trimmed(right.index) !== "";
          continue;
        }
        const before = rows.digits(left.index);
        if (before < 0) continue;
        const after = rows.trimmed(right.index);
        if (decimals.test(after)) {
          decimal = splitAt(rows, pair);
          return;
        }
        if (after.length !== 3) pair.isOther = true;
        else if (before >= 1 && before <= 999) pair.thousands ??= splitAt(rows, pair);
      }
    },
  };
}

const splitAt = (rows: CsvRows, { left, right }: Pair): SplitNumber => ({
  row: rows.row,
  text: `${rows.trimmed(left.index)},${rows.trimmed(right.index)}`,
  columns: `${left.header}, ${right.header}`,
});

interface Pair {
  readonly left: Column;
  readonly right: Column;
  /** What may stand after the comma. Amounts are whole; a measure may have any decimals. */
  readonly decimals: RegExp;
  /** The first two cells that may be thousands, such as `1,500`. */
  thousands?: SplitNumber;
  /** Whether a row has something else after the number, such as the lot `L-42`: then `500` is a lot, too. */
  isOther: boolean;
}

/** The column of a number and the one after it, if that holds texts and may be blank. */
function pairOf(left: Column, map: ColumnMap): Pair[] {
  const { kind } = left.field;
  if (kind !== "amount" && kind !== "number") return [];
  const right = map.columns.find(({ index }) => index === left.index + 1);
  if (right === undefined || right.field.required) return [];
  if (right.field.kind !== "text" && right.field.kind !== "identifier") return [];
  const isMeasure = kind === "number" && right.field.kind === "text";
  return [{ left, right, decimals: isMeasure ? /^\d{1,3}$/ : /^0{1,3}$/, isOther: false }];
}
