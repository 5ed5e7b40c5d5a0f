import type { CellReader } from "../fields/cell-reader.ts";
import type { FileNotes } from "../import/file-reading.ts";
import type { ColumnMap } from "./map-columns.ts";

/** More names of columns than these are not read by anybody. */
const maxColumns = 12;

/** Notes about a file that has no errors. */
export function notesOf(read: {
  map: ColumnMap;
  /** Columns without a heading that have values. */
  filledUnnamed: ReadonlySet<number>;
  leftOut: number;
  cells: CellReader;
}): FileNotes {
  const { map, filledUnnamed, leftOut, cells } = read;
  const compared = new Set(map.rivals.map(({ rival }) => rival.index));
  const unusedColumns = map.all.flatMap(({ header, field }, index) => {
    if (field !== null || compared.has(index)) return [];
    if (header.trim() === "") return filledUnnamed.has(index) ? [`(${index + 1})`] : [];
    return [header.slice(0, 40)];
  });
  const date = cells.dates.byConvention ?? cells.shortYear;
  return {
    leftOut,
    unusedColumns,
    dateByConvention: date === null ? null : { text: date.text, value: date.value },
    skippedTime: cells.skippedTime,
  };
}

/** The notes as values for a text; only those that exist. */
export function noteValues(notes: FileNotes | undefined): Record<string, string | number> {
  const { leftOut = 0, unusedColumns = [], dateByConvention = null } = notes ?? {};
  const { skippedTime, splitNumber, floatNumber } = notes ?? {};
  const more = unusedColumns.length > maxColumns ? ", …" : "";
  return {
    ...(leftOut === 0 ? {} : { leftOut, hasLeftOut: "yes" }),
    ...(unusedColumns.length === 0 ? {} : { columns: unusedColumns.slice(0, maxColumns).join(", ") + more }),
    ...(dateByConvention === null
      ? {}
      : { date: dateByConvention.text, dateRead: dateByConvention.value.slice(0, 10) }),
    ...(skippedTime === undefined
      ? {}
      : { skipped: skippedTime.text, skippedRow: skippedTime.row, skippedRead: skippedTime.value }),
    ...(splitNumber === undefined
      ? {}
      : { split: splitNumber.text, splitRow: splitNumber.row, splitColumns: splitNumber.columns }),
    ...(floatNumber === undefined ? {} : { float: floatNumber.text, floatColumn: floatNumber.column }),
  };
}
