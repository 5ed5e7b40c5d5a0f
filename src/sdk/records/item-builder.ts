import { UnitOfMeasure } from "../../contract/enums.ts";
import type { Item } from "../../contract/schemas/item.ts";
import type { CellReader } from "./cell-reader.ts";
import type { ColumnMap } from "./map-columns.ts";
import type { RecordBuilder } from "./read-csv.ts";

/** One item per row. The same item twice is one item if both say the same, and an error if not. */
export class ItemBuilder implements RecordBuilder<Item> {
  readonly #cells: CellReader;
  readonly #map: ColumnMap;
  readonly #items = new Map<string, { readonly row: number; readonly item: Item; isBad: boolean }>();
  #badRows = 0;

  constructor(cells: CellReader, map: ColumnMap) {
    this.#cells = cells;
    this.#map = map;
  }

  get recordCount(): number {
    return this.#items.size;
  }

  addRow(): void {
    const members: Record<string, unknown> = {};
    let isBad = false;
    for (const column of this.#map.columns) {
      const value = this.#cells.read(column);
      if (value === null) isBad = true;
      else if (value !== undefined) members[column.field.name] = value;
      else if (column.field.required) {
        this.#cells.refuse(column, "files.cell.filled");
        isBad = true;
      }
    }
    if (isBad) {
      this.spoilRow();
      return;
    }
    members["unitOfMeasure"] ??= UnitOfMeasure.Piece;
    // Every member was read as its field's kind, and the number is there.
    this.#keep(members as unknown as Item);
  }

  #keep(item: Item): void {
    const earlier = this.#items.get(item.number);
    if (earlier === undefined) {
      this.#items.set(item.number, { row: this.#cells.rows.row, item, isBad: false });
      return;
    }
    if (JSON.stringify(item) === JSON.stringify(earlier.item)) return;
    const column = this.#map.columns.find(({ field }) => field.name === "number");
    if (column !== undefined) this.#cells.refuse(column, "files.cell.duplicate", { otherRow: earlier.row });
    earlier.isBad = true;
  }

  spoilRow(): void {
    this.#badRows++;
  }

  finish(): { records: Item[]; badCount: number } {
    const good = [...this.#items.values()].filter(({ isBad }) => !isBad);
    return { records: good.map(({ item }) => item), badCount: this.#badRows + this.#items.size - good.length };
  }
}
