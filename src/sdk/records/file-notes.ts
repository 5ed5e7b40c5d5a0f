import type { CellReader } from "./cell-reader.ts";
import type { FileNotes } from "./file-reading.ts";
import type { ColumnMap } from "./map-columns.ts";

const maxColumns = 12;

export const headersOf = (map: ColumnMap): string[] => map.all.map(({ header }) => header);

/** What is to be said about a file although nothing in it is wrong. */
export function notesOf(read: {
  map: ColumnMap;
  /** Columns without a heading in which something stands. */
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
  const date = cells.dates.byConvention;
  return {
    leftOut,
    unusedColumns,
    dateByConvention: date === null ? null : { text: date.text, value: date.value },
  };
}

/** The notes as values of a text; only those that there are. */
export function noteValues(notes: FileNotes | undefined): Record<string, string | number> {
  const { leftOut = 0, unusedColumns = [], dateByConvention = null } = notes ?? {};
  const more = unusedColumns.length > maxColumns ? ", …" : "";
  return {
    ...(leftOut === 0 ? {} : { leftOut, hasLeftOut: "yes" }),
    ...(unusedColumns.length === 0 ? {} : { columns: unusedColumns.slice(0, maxColumns).join(", ") + more }),
    ...(dateByConvention === null
      ? {}
      : { date: dateByConvention.text, dateRead: dateByConvention.value.slice(0, 10) }),
  };
}
