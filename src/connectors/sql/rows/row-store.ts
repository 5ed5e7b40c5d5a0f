import { setImmediate as nextTurn } from "node:timers/promises";
import { parseStored } from "../../../kit/json/parse-in-turns.ts";
import { writingCost } from "../../../kit/json/write-in-turns.ts";
import { TextArena } from "../../../kit/text-arena.ts";
import type { Row } from "../drivers/database.ts";

/** Up to this many rows are kept as objects. With more, serialising them costs less than the memory they would take. */
const defaultFewRows = 2_000;

/** Reading and mapping this much takes some milliseconds. */
const bytesPerTurn = 256 * 1024;
/** What a row costs beside its text. */
const rowBytes = 100;

/**
 * The rows of one statement, grouped by some columns, in the order they arrived. A long result is kept as bytes
 * outside of the heap, a third of the size of its objects, and parsed group by group.
 */
export class RowStore {
  readonly #by: readonly string[] | null;
  readonly #fewRows: number;
  #few: Row[] | null = [];
  #columns: readonly string[] = [];
  readonly #texts = new TextArena();
  /** For each row, the next row of its group. */
  #next = new Uint32Array(0);
  #rowCount = 0;
  readonly #groups = new Map<string, Group>();
  /** First row of the group that was written last. */
  #head: { readonly group: Group; readonly row: Row } | null = null;
  readonly #ungrouped: Group[] = [];
  /** What was read since other requests could run. */
  #bytesOfTurn = 0;

  /** Without columns each row is its own group. */
  constructor(by: readonly string[] | null, { fewRows = defaultFewRows } = {}) {
    this.#by = by;
    this.#fewRows = fewRows;
  }

  add(row: Row): void {
    if (this.#rowCount === 0) this.#columns = Object.keys(row);
    const index = this.#rowCount++;
    this.#join(row, index);
    if (this.#few !== null && index < this.#fewRows) {
      this.#few.push(row);
      return;
    }
    for (const [place, one] of (this.#few ?? []).entries()) this.#write(one, place);
    this.#few = null;
    this.#write(row, index);
  }

  get first(): Row | undefined {
    return this.#rowCount === 0 ? undefined : this.#read(0);
  }

  /** Can be iterated several times. */
  async *groups(): AsyncGenerator<readonly Row[]> {
    for (const group of this.#by === null ? this.#ungrouped : this.#groups.values()) {
      if (this.#isTurnOver()) await nextTurn();
      yield await this.#rowsOf(group);
    }
  }

  /** Releases the memory of a long result; it cannot be read afterwards. */
  free(): void {
    this.#texts.free();
  }

  /** The group with these values in its columns; empty if there is none. */
  async like(row: Row, columns: readonly string[]): Promise<readonly Row[]> {
    const group = this.#groups.get(keyOf(row, columns));
    return group === undefined ? [] : await this.#rowsOf(group);
  }

  #join(row: Row, index: number): void {
    if (index >= this.#next.length) {
      const grown = new Uint32Array(Math.max(256, this.#next.length * 2));
      grown.set(this.#next);
      this.#next = grown;
    }
    this.#next[index] = none;
    const key = this.#by === null ? null : keyOf(row, this.#by);
    const group = key === null ? undefined : this.#groups.get(key);
    if (group === undefined) {
      const fresh = { first: index, last: index };
      if (key === null) this.#ungrouped.push(fresh);
      else this.#groups.set(key, fresh);
      return;
    }
    this.#next[group.last] = index;
    group.last = index;
  }

  #write(row: Row, index: number): void {
    const group = this.#by === null ? undefined : this.#groups.get(keyOf(row, this.#by));
    if (group !== undefined && group.first === index) this.#head = { group, row };
    else if (group !== undefined && this.#head?.group === group) {
      // Values that a join repeats on every line of an order are written once.
      const { row: head } = this.#head;
      const own = this.#columns.entries().filter(([, column]) => row[column] !== head[column]);
      this.#texts.add(JSON.stringify(Object.fromEntries(own.map(([place, column]) => [place, row[column]]))));
      return;
    }
    // Values only: the column names are the same for all rows.
    this.#texts.add(JSON.stringify(this.#columns.map((column) => row[column])));
  }

  #read(index: number, head: Row = {}): Row {
    return this.#few?.[index] ?? this.#rowOf(JSON.parse(this.#texts.at(index)), head);
  }

  /** One row may have a text of megabytes. */
  #readLong(index: number, head: Row = {}): Row | Promise<Row> {
    const length = this.#few === null ? this.#texts.lengthAt(index) : 0;
    this.#bytesOfTurn += rowBytes + length;
    if (length <= bytesPerTurn) return this.#read(index, head);
    return parseStored(this.#texts.bytesAt(index)).then((written) => this.#rowOf(written, head));
  }

  #rowOf(written: unknown, head: Row): Row {
    // #write wrote it: a list of all values, or an object of those that differ from the first row of the group.
    const values = written as unknown[] | Record<string, unknown>;
    const row: Record<string, unknown> = { ...head };
    for (const [place, value] of Object.entries(values)) row[this.#columns[Number(place)] ?? ""] = value;
    return row;
  }

  async #rowsOf({ first }: Group): Promise<readonly Row[]> {
    const head = await this.#readLong(first);
    const rows = [head];
    for (let index = this.#next[first] ?? none; index !== none; index = this.#next[index] ?? none) {
      if (this.#isTurnOver()) await nextTurn();
      const row = this.#readLong(index, head);
      rows.push(row instanceof Promise ? await row : row);
    }
    return rows;
  }

  /** Whether so much was read that other requests must run. Counts anew then. */
  #isTurnOver(): boolean {
    if (this.#bytesOfTurn <= bytesPerTurn) return false;
    this.#bytesOfTurn = 0;
    return true;
  }
}

interface Group {
  readonly first: number;
  last: number;
}

/** Marks that there is no next row. */
const none = 2 ** 32 - 1;

function keyOf(row: Row, columns: readonly string[]): string {
  // One column is the usual case and needs no list around it.
  if (columns.length === 1) {
    const value = row[columns[0] ?? ""];
    // The leading quote distinguishes the text `null` from a null value, and the text `1` from the number.
    return typeof value === "string" ? `"${value}` : JSON.stringify(value ?? null);
  }
  return JSON.stringify(columns.map((column) => row[column] ?? null));
}

/** Yields a few records at a time, of long ones fewer; they are read only when requested. */
export async function* inPortions(records: AsyncIterable<Row>, size: number): AsyncGenerator<readonly Row[]> {
  let portion: Row[] = [];
  let cost = 0;
  for await (const record of records) {
    const own = writingCost(record, bytesPerTurn);
    if (portion.length > 0 && (portion.length === size || cost + own > bytesPerTurn)) {
      yield portion;
      portion = [];
      cost = 0;
    }
    portion.push(record);
    cost += own;
  }
  if (portion.length > 0) yield portion;
}
