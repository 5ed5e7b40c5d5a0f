import { UnitOfMeasure } from "../../contract/enums.ts";
import type { Item } from "../../contract/schemas/work-order.ts";
import type { ColumnMap } from "../csv/map-columns.ts";
import type { RecordBuilder } from "../csv/read-csv.ts";
import type { ApartKeys } from "../stream/key-hashes.ts";
import type { CellReader } from "./cell-reader.ts";

/** Builds one item per row. The same item twice counts once if both rows agree; otherwise it is an error. */
export class ItemBuilder implements RecordBuilder<Item> {
  readonly #cells: CellReader;
  readonly #map: ColumnMap;
  readonly #items = new Map<string, { readonly row: number; readonly item: Item; isBad: boolean }>();
  readonly #apart: ApartKeys | undefined;
  #ended: Item[] = [];
  #badRows = 0;

  constructor(cells: CellReader, map: ColumnMap, apart?: ApartKeys) {
    this.#cells = cells;
    this.#map = map;
    this.#apart = apart;
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
    // Every member was read as its field's kind, and the number exists.
    this.#keep(members as unknown as Item);
  }

  #keep(item: Item): void {
    if (this.#apart?.has(item.number) === false) {
      this.#ended.push(item);
      return;
    }
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

  get heldRows(): number {
    return this.#items.size;
  }

  takeEnded(): Item[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  finish(): { records: Item[]; badCount: number } {
    const good = [...this.#items.values()].filter(({ isBad }) => !isBad);
    const records = [...this.takeEnded(), ...good.map(({ item }) => item)];
    return { records, badCount: this.#badRows + this.#items.size - good.length };
  }
}
