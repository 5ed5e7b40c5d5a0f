/** Why reading stopped before the end. */
export type CsvDefect = "too-many-cells" | "row-too-long" | "unclosed-quote" | "text-after-quote";

export const maxCells = 1_000;
export const maxRowLength = 1 << 20;

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const needsMore = -1;
const stopped = -2;

/**
 * Cuts text into rows and cells in one pass, without an object per cell: the current row is kept as offsets into
 * the text, and a cell becomes a string only when asked for. RFC 4180, with any line end, and quotes inside
 * unquoted cells as they are. Text comes in pieces, so that only one row beyond a piece is ever held.
 */
export class CsvRows {
  /** Number of the current row, counted from 1 as a spreadsheet does: line breaks in quotes do not count. */
  row = 0;
  cellCount = 0;
  defect: CsvDefect | null = null;
  /** Index of the cell in which reading stopped. */
  defectCell = 0;
  readonly #nextPiece: () => string | null;
  readonly #delimiter: number;
  #text = "";
  #at = 0;
  #isLast = false;
  readonly #starts = new Int32Array(maxCells);
  readonly #ends = new Int32Array(maxCells);
  readonly #hasEscapes = new Uint8Array(maxCells);

  constructor(nextPiece: () => string | null, delimiter: string) {
    this.#nextPiece = nextPiece;
    this.#delimiter = delimiter.charCodeAt(0);
  }

  next(): boolean {
    if (this.defect !== null) return false;
    for (;;) {
      if (this.#at >= this.#text.length && this.#isLast) return false;
      const end = this.#at >= this.#text.length ? needsMore : this.#scan();
      if (end === stopped) return false;
      if (end !== needsMore) {
        this.#at = end;
        this.row++;
        return true;
      }
      this.#refill();
    }
  }

  #refill(): void {
    const rest = this.#text.slice(this.#at);
    const piece = this.#nextPiece();
    this.#isLast = piece === null;
    this.#text = piece === null ? rest : rest + piece;
    this.#at = 0;
  }

  /** Finds the cells of the row that starts here; returns where the next one starts. */
  #scan(): number {
    const text = this.#text;
    const length = text.length;
    const delimiter = this.#delimiter;
    let at = this.#at;
    let cell = 0;
    for (;;) {
      if (cell === maxCells) return this.#stop("too-many-cells", cell);
      let code = at < length ? text.charCodeAt(at) : -1;
      if (code === quote) {
        at = this.#scanQuoted(at + 1, cell);
        if (at < 0) return at;
        code = at < length ? text.charCodeAt(at) : -1;
        if (code !== delimiter && code !== lineFeed && code !== carriageReturn && code !== -1) {
          return this.#stop("text-after-quote", cell);
        }
      } else {
        this.#starts[cell] = at;
        while (code !== delimiter && code !== lineFeed && code !== carriageReturn && ++at < length) {
          code = text.charCodeAt(at);
        }
        if (at >= length) {
          code = -1;
          at = length;
        }
        this.#ends[cell] = at;
        this.#hasEscapes[cell] = 0;
      }
      cell++;
      if (code === delimiter) {
        at++;
        continue;
      }
      if (code === -1 && !this.#isLast) return this.#orTooLong("row-too-long", cell);
      // A carriage return at the end of a piece may be the first half of a line end.
      if (code === carriageReturn && at + 1 === length && !this.#isLast) return needsMore;
      this.cellCount = cell;
      return code === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? at + 2 : at + 1;
    }
  }

  #scanQuoted(from: number, cell: number): number {
    const text = this.#text;
    let at = from;
    this.#starts[cell] = from;
    this.#hasEscapes[cell] = 0;
    for (;;) {
      const close = text.indexOf('"', at);
      if (close < 0) return this.#isLast ? this.#stop("unclosed-quote", cell) : this.#orTooLong("unclosed-quote", cell);
      if (close + 1 === text.length && !this.#isLast) return needsMore;
      if (text.charCodeAt(close + 1) !== quote) {
        this.#ends[cell] = close;
        at = close + 1;
        break;
      }
      this.#hasEscapes[cell] = 1;
      at = close + 2;
    }
    while (text.charCodeAt(at) === space && this.#delimiter !== space) at++;
    return at === text.length && !this.#isLast ? needsMore : at;
  }

  #orTooLong(defect: CsvDefect, cell: number): number {
    return this.#text.length - this.#at > maxRowLength ? this.#stop(defect, cell) : needsMore;
  }

  #stop(defect: CsvDefect, cell: number): number {
    this.defect = defect;
    this.defectCell = cell;
    this.row++;
    return stopped;
  }

  /** The cell as it stands, quotes taken off. */
  cell(index: number): string {
    if (index >= this.cellCount) return "";
    const text = this.#text.slice(this.#starts[index], this.#ends[index]);
    return this.#hasEscapes[index] === 1 ? text.replaceAll('""', '"') : text;
  }

  /** The cell without white space around it. */
  trimmed(index: number): string {
    if (index >= this.cellCount) return "";
    const start = this.#starts[index] ?? 0;
    const end = this.#ends[index] ?? 0;
    if (start === end) return "";
    const first = this.#text.charCodeAt(start);
    const last = this.#text.charCodeAt(end - 1);
    const isTight = first > space && first < 127 && last > space && last < 127;
    return isTight ? this.cell(index) : this.cell(index).trim();
  }

  /** Whether the cell's characters are these; false also where only quotes or white space differ. */
  isExactly(index: number, value: string): boolean {
    const start = this.#starts[index] ?? 0;
    return (
      index < this.cellCount &&
      (this.#ends[index] ?? 0) - start === value.length &&
      this.#text.startsWith(value, start) &&
      this.#hasEscapes[index] === 0
    );
  }

  /** The value of a cell of one to fifteen digits and nothing else, without making a string; else -1. */
  digits(index: number): number {
    const start = this.#starts[index] ?? 0;
    const end = index < this.cellCount ? (this.#ends[index] ?? 0) : start;
    if (end === start || end - start > 15) return -1;
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = this.#text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }

  isBlank(): boolean {
    for (let index = 0; index < this.cellCount; index++) {
      const start = this.#starts[index] ?? 0;
      if (start === this.#ends[index]) continue;
      const first = this.#text.charCodeAt(start);
      if ((first > space && first < 127) || this.trimmed(index) !== "") return false;
    }
    return true;
  }
}
