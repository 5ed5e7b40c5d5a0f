import type { FileNotes } from "../import/file-reading.ts";
import type { CsvRows } from "./csv-rows.ts";
import type { ColumnMap } from "./map-columns.ts";

type FloatNumber = NonNullable<FileNotes["floatNumber"]>;

const withZero = /^\d+[.,]0$/;

/**
 * Finds a column of numbers of orders or items in which every one ends with `.0`: a program has exported them as decimal
 * numbers. A single `4711.0` among others may be a real number, and so may all of them, so this is a note and no error.
 */
export function floatNumberFinder(map: ColumnMap) {
  let columns = map.columns
    .filter(({ field }) => field.required && field.kind === "identifier")
    .map(({ index, header }) => ({ index, header, text: "" }));
  return {
    found: (): FloatNumber | undefined => {
      const column = columns.find(({ text }) => text !== "");
      return column === undefined ? undefined : { column: column.header, text: column.text };
    },
    look: (rows: CsvRows): void => {
      if (columns.length === 0) return;
      columns = columns.flatMap((column) => {
        const text = rows.trimmed(column.index);
        if (text === "") return [column];
        return withZero.test(text) ? [{ ...column, text: column.text || text }] : [];
      });
    },
  };
}
