import { Fault } from "../../../operation/fault.ts";

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** Converts a value of the driver to a value for the mapping. */
  readonly read?: ((value: unknown) => unknown) | undefined;
}

export interface RowLimit {
  readonly maxRows: number;
  /** What happens beyond the limit: a fault, or the result is cut (for previews). */
  readonly onMore: "fault" | "cut";
}

/** Takes rows as lists of values, names the columns and enforces the limit: a statement without WHERE must not fill the memory. */
export class RowCollector {
  readonly limit: RowLimit;
  /** Whether rows were left out. */
  isCut = false;
  #size = 0;
  #columns: readonly Column[] = [];
  #blank: Record<string, unknown> = {};

  readonly #take: (row: Row) => void;
  #count = 0;

  constructor(limit: RowLimit, take: (row: Row) => void) {
    this.limit = limit;
    this.#take = take;
  }

  columns(columns: readonly Column[]): void {
    const names = columns.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined || names.includes("__proto__")) {
      throw new Fault(
        "broken",
        `the statement returns two columns named ${twice ?? "__proto__"}: one would hide the other; rename one with AS`,
      );
    }
    this.#columns = columns;
    this.#blank = Object.fromEntries(names.map((name) => [name, null]));
  }

  /** False if no more rows are wanted. */
  add(values: readonly unknown[]): boolean {
    for (const value of values) this.#size += sizeOf(value);
    if (this.#count >= this.limit.maxRows || this.#size > largestResult) {
      this.isCut = true;
      return false;
    }
    // A copy keeps one object shape; adding the members one by one would change the shape each time.
    const row = { ...this.#blank };
    for (let index = 0; index < this.#columns.length; index++) {
      const column = this.#columns[index];
      if (column === undefined) continue;
      const value = values[index] ?? null;
      const read = value === null || column.read === undefined ? value : column.read(value);
      // JSON has no bytes; the contract uses Base64 for them.
      row[column.name] = read instanceof Uint8Array ? base64(read) : read;
    }
    this.#count++;
    this.#take(row);
    return true;
  }
}

/** Limit of one statement's result, in characters and bytes: a few rows with images can be large long before the row limit. */
export const largestResult = 256 * 2 ** 20;

/** The approximate size of a value; a number counts as one. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value instanceof Uint8Array ? value.byteLength : 1;
}
