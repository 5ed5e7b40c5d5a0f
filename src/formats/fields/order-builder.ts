import { RequestType, UnitOfMeasure } from "../../contract/enums.ts";
import { limits } from "../../contract/limits.ts";
import type { RequestLine, WorkOrder } from "../../contract/schemas/work-order.ts";
import type { Column, ColumnMap } from "../csv/map-columns.ts";
import type { RecordBuilder } from "../csv/read-csv.ts";
import type { ApartKeys } from "../stream/key-hashes.ts";
import type { CellReader, CellValue } from "./cell-reader.ts";

interface Draft {
  readonly number: string;
  readonly row: number;
  /** The raw order columns, by position; compared before they are parsed. */
  readonly texts: string[];
  /** For columns that were blank in the order's first row: the row that has the value. */
  laterRows: Map<number, number> | null;
  readonly members: Record<string, unknown>;
  readonly lines: RequestLine[];
  isBad: boolean;
  /** A row could not be read, so the order is incomplete. */
  hasUnreadRow: boolean;
  hasTooManyLines: boolean;
}

/**
 * Combines rows to work orders. A blank number means the order of the row above; the rows of an order need
 * not be adjacent. Order columns may be repeated or left blank, but must not contradict each other.
 */
export class OrderBuilder implements RecordBuilder<WorkOrder> {
  readonly #cells: CellReader;
  readonly #numberColumn: Column;
  readonly #orderColumns: readonly Column[];
  readonly #lineColumns: readonly Column[];
  readonly #requiredOrderColumns: readonly Column[];
  readonly #lineNames: readonly string[];
  readonly #headers: readonly string[];
  /** Bit mask of the line columns that must not be blank. */
  readonly #required: number;
  /** The bit of the column with the line number; 0 if the file has none. */
  readonly #orderBit: number;
  readonly #templates = new Map<number, Record<string, unknown>>();
  /** The current line, by slot; reused for every row. */
  readonly #values: CellValue[] = [];
  readonly #drafts = new Map<string, Draft>();
  #current: Draft | null = null;
  readonly #apart: ApartKeys | undefined;
  /** The order of the last row with a number; it is complete when another order starts. */
  #latest: Draft | null = null;
  #ended: WorkOrder[] = [];
  heldRows = 0;
  #badCount = 0;
  /** The last row that was read: cells that repeat it were already checked there. */
  #lastReadRow = 0;

  constructor(cells: CellReader, map: ColumnMap, apart?: ApartKeys) {
    this.#apart = apart;
    this.#cells = cells;
    this.#headers = map.all.map(({ header }) => header);
    this.#lineColumns = map.columns.filter(({ field }) => field.scope === "line");
    this.#lineNames = this.#lineColumns.map(({ field }) => field.name);
    this.#required = this.#lineColumns.reduce(
      (bits, { field }, slot) => (field.required ? bits | (1 << slot) : bits),
      0,
    );
    const orderSlot = this.#lineNames.indexOf("order");
    this.#orderBit = orderSlot < 0 ? 0 : 1 << orderSlot;
    this.#orderColumns = map.columns.filter(({ field }) => field.scope === "record" && field.name !== "number");
    this.#requiredOrderColumns = this.#orderColumns.filter(({ field }) => field.required);
    const numberColumn = map.columns.find(({ field }) => field.name === "number");
    if (numberColumn === undefined) throw new Error("a map without the order number must not get here");
    this.#numberColumn = numberColumn;
  }

  addRow(): void {
    const { rows } = this.#cells;
    const before = this.#current;
    const draft = this.#draft();
    if (draft === null) return;
    const isBelowItsOwn = draft === before && this.#lastReadRow === rows.row - 1;
    this.#lastReadRow = rows.row;
    for (let slot = 0; slot < this.#orderColumns.length; slot++) this.#readOrderCell(draft, slot, isBelowItsOwn);
    this.#readLine(draft);
  }

  /** A row that cannot be read makes its order invalid. */
  spoilRow(): void {
    const draft = this.#draft();
    if (draft === null) return;
    draft.isBad = true;
    draft.hasUnreadRow = true;
  }

  #draft(): Draft | null {
    const { rows, problems } = this.#cells;
    const isRowAboveRead = this.#current !== null && this.#lastReadRow === rows.row - 1;
    if (isRowAboveRead && rows.isAsAbove(this.#numberColumn.index)) return this.#current;
    const number = this.#cells.read(this.#numberColumn);
    if (number === undefined) {
      if (this.#current === null)
        problems.add("files.row.no-number", { row: rows.row, column: this.#numberColumn.header });
      return this.#current;
    }
    if (typeof number !== "string") {
      // The following rows without a number belong to this order, not to the one before.
      this.#current = null;
      return null;
    }
    let draft = this.#drafts.get(number);
    if (draft === undefined) {
      draft = {
        number,
        row: rows.row,
        texts: this.#orderColumns.map(() => ""),
        laterRows: null,
        members: { number },
        lines: [],
        isBad: false,
        hasUnreadRow: false,
        hasTooManyLines: false,
      };
      this.#drafts.set(number, draft);
    }
    this.#current = draft;
    if (this.#latest !== draft) {
      if (this.#latest !== null && this.#apart?.has(this.#latest.number) === false) this.#end(this.#latest);
      this.#latest = draft;
    }
    return draft;
  }

  #readOrderCell(draft: Draft, slot: number, isBelowItsOwn: boolean): void {
    const { rows } = this.#cells;
    const column = this.#orderColumns[slot];
    const known = draft.texts[slot];
    if (column === undefined || known === undefined || (isBelowItsOwn && rows.isAsAbove(column.index))) return;
    const text = rows.trimmed(column.index);
    if (text === "" || text === known) return;
    const value = this.#cells.read(column);
    const name = column.field.name;
    if (value === null) draft.isBad = true;
    if (known === "") {
      draft.texts[slot] = text;
      if (rows.row !== draft.row) {
        draft.laterRows ??= new Map();
        draft.laterRows.set(slot, rows.row);
      }
      if (value !== null) draft.members[name] = value;
    } else if (value !== null && value !== draft.members[name]) {
      const otherRow = draft.laterRows?.get(slot) ?? draft.row;
      this.#cells.refuse(column, "files.cell.contradiction", { number: draft.number, otherRow, otherValue: known });
      draft.isBad = true;
    }
  }

  #readLine(draft: Draft): void {
    const values = this.#values;
    let present = 0;
    let isBad = false;
    for (let slot = 0; slot < this.#lineColumns.length; slot++) {
      const column = this.#lineColumns[slot];
      const value = column === undefined ? undefined : this.#cells.read(column);
      values[slot] = value;
      if (value === null) isBad = true;
      if (value !== undefined) present |= 1 << slot;
    }
    // Some programs write a separate row for the order above its lines.
    if (present === 0) return;
    if ((present & this.#required) !== this.#required) isBad = this.#reportMissing(present);
    if (isBad) {
      draft.isBad = true;
      return;
    }
    if (draft.lines.length >= limits.linesPerOrder) {
      this.#reportTooMany(draft);
      return;
    }
    const line = { ...this.#template(present) };
    for (let slot = 0; slot < values.length; slot++) {
      const name = this.#lineNames[slot];
      if (name !== undefined && (present & (1 << slot)) !== 0) line[name] = values[slot];
    }
    if ((present & this.#orderBit) === 0) line["order"] = draft.lines.length + 1;
    // Every member was read as its field's kind, and the required ones exist.
    draft.lines.push(line as unknown as RequestLine);
    this.heldRows++;
  }

  /**
   * Returns an object with all members of a line, to be copied: adding members one by one would take a third more
   * memory.
   */
  #template(present: number): Record<string, unknown> {
    let template = this.#templates.get(present);
    if (template === undefined) {
      template = {};
      for (const [slot, name] of this.#lineNames.entries()) {
        if ((present & (1 << slot)) !== 0) template[name] = this.#values[slot];
      }
      template["unitOfMeasure"] ??= UnitOfMeasure.Piece;
      template["requestType"] ??= RequestType.PickItem;
      template["order"] ??= 0;
      this.#templates.set(present, template);
    }
    return template;
  }

  /** Reported once per order; further lines would only repeat it. */
  #reportTooMany(draft: Draft): void {
    if (draft.hasTooManyLines) return;
    draft.hasTooManyLines = true;
    draft.isBad = true;
    const place = { row: this.#cells.rows.row, column: "requests", value: draft.number };
    this.#cells.problems.add("files.cell.elements", place, { detail: String(limits.linesPerOrder) });
  }

  #reportMissing(present: number): true {
    const total = this.#cells.totalIn(this.#headers);
    if (total !== null) {
      const { row } = this.#cells.rows;
      this.#cells.problems.add("files.cell.total", { row, ...total });
      return true;
    }
    for (const [slot, column] of this.#lineColumns.entries()) {
      const isMissing = column.field.required === true && (present & (1 << slot)) === 0;
      if (isMissing) this.#cells.refuse(column, "files.cell.filled");
    }
    return true;
  }

  takeEnded(): WorkOrder[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  finish(): { records: WorkOrder[]; badCount: number } {
    for (const draft of this.#drafts.values()) this.#end(draft);
    return { records: this.takeEnded(), badCount: this.#badCount };
  }

  /** Called when no further row belongs to the order: reports required fields that are still missing. */
  #end(draft: Draft): void {
    const { problems } = this.#cells;
    this.#drafts.delete(draft.number);
    this.heldRows -= draft.lines.length;
    for (const column of this.#requiredOrderColumns) {
      if (draft.hasUnreadRow || draft.texts[this.#orderColumns.indexOf(column)] !== "") continue;
      problems.add("files.cell.filled", { row: draft.row, column: column.header });
      draft.isBad = true;
    }
    if (draft.lines.length === 0 && !draft.isBad) {
      problems.add("files.row.no-lines", { row: draft.row, value: draft.number });
      draft.isBad = true;
    }
    if (draft.isBad) {
      this.#badCount++;
      return;
    }
    draft.members["requests"] = draft.lines;
    // As above: each member was read as its field's kind, and the required ones were just checked.
    this.#ended.push(draft.members as unknown as WorkOrder);
  }
}
