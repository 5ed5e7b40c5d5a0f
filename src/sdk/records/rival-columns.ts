import type { CellReader } from "./cell-reader.ts";
import type { Rival } from "./map-columns.ts";

/** Whether two columns of one meaning say different things in the current row; then that is reported. */
export function disagree(cells: CellReader, rivals: readonly Rival[]): boolean {
  let isBad = false;
  for (const { column, rival } of rivals) {
    const { rows } = cells;
    const text = rows.trimmed(column.index);
    const otherText = rows.trimmed(rival.index);
    if (otherText === "" || otherText === text) continue;
    const value = text === "" ? undefined : cells.read(column);
    const other = cells.read({ ...rival, field: column.field });
    if (other !== null && other === value) continue;
    isBad = true;
    // A cell that cannot be read has been reported by itself.
    if (value === null || other === null) continue;
    const details = { otherColumn: rival.header, otherValue: otherText, member: column.field.name };
    cells.refuse(column, "files.cell.two-columns", details);
  }
  return isBad;
}
