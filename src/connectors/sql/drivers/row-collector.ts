import { Fault } from "../../../operation/fault.ts";

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** From what the driver gives to what the mapping gets. */
  readonly read?: ((value: unknown) => unknown) | undefined;
}

export interface RowLimit {
  readonly maxRows: number;
  /** What the first row too many does: it is a fault, or simply not taken, where a few are enough. */
  readonly onMore: "fault" | "cut";
}

/** Takes rows as lists of values, names them, and says when it is enough: a statement without WHERE must not fill the memory. */
export class RowCollector {
  readonly limit: RowLimit;
  /** Whether there was more than was taken. */
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
        `the statement gives two columns named ${twice ?? "__proto__"}: one would hide the other; rename one by AS`,
      );
    }
    this.#columns = columns;
    this.#blank = Object.fromEntries(names.map((name) => [name, null]));
  }

  /** False where no more is wanted. */
  add(values: readonly unknown[]): boolean {
    for (const value of values) this.#size += sizeOf(value);
    if (this.#count >= this.limit.maxRows || this.#size > largestResult) {
      this.isCut = true;
      return false;
    }
    // A copy has its shape already: adding the members one by one would change it with each.
    const row = { ...this.#blank };
    for (let index = 0; index < this.#columns.length; index++) {
      const column = this.#columns[index];
      if (column === undefined) continue;
      const value = values[index] ?? null;
      const read = value === null || column.read === undefined ? value : column.read(value);
      // JSON has no bytes; the contract writes them as Base64 wherever it takes some.
      row[column.name] = read instanceof Uint8Array ? base64(read) : read;
    }
    this.#count++;
    this.#take(row);
    return true;
  }
}

/** What one statement may give in all, in characters and bytes: a few columns of images are large long before the rows are many. */
export const largestResult = 256 * 2 ** 20;

/** Roughly what a value takes; the few bytes of a number are counted as one. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value instanceof Uint8Array ? value.byteLength : 1;
}
