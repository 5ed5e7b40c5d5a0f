import { decode, type Encoding } from "../encodings/encoding.ts";
import { RecentTexts } from "./recent-texts.ts";

/** Why reading stopped before the end. */
export type CsvDefect = "too-many-cells" | "row-too-long" | "unclosed-quote" | "text-after-quote";

const maxCells = 1_000;
const maxRowLength = 1 << 20;
const windowLength = 1 << 16;
/**
 * V8 copies short slices. A longer slice would keep the whole source text in memory, so it is decoded from the bytes.
 */
const longestCopiedSlice = 12;

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const isEscaped = 1;
const isBeyondAscii = 2;
const holdsControl = 4;
/** A bit above those of a byte: set if a control character was seen. */
const controlBit = 256;

/** The input: all bytes of a file, or its first bytes and a function to get more. */
export interface CsvBytes {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** The bytes that are still needed, followed by new ones; null at the end of the file. */
  readonly more?: ((rest: Buffer) => Buffer | null) | undefined;
}

/**
 * Splits bytes into rows and cells in one pass, without an object per cell: the current row is kept as offsets, and a
 * cell becomes a string only on demand. RFC 4180, with any line end; quotes inside unquoted cells are kept.
 * Works on bytes because delimiters, quotes and line ends are the same bytes in every encoding it receives.
 */
export class CsvRows {
  /** Number of the current row, counted from 1 as in a spreadsheet: line breaks in quotes do not count. */
  row = 0;
  cellCount = 0;
  defect: CsvDefect | null = null;
  /** Whether a control character was seen so far. */
  mayHoldControl = false;
  /** Index of the cell in which reading stopped. */
  defectCell = 0;
  #bytes: Buffer;
  #more: CsvBytes["more"];
  readonly #encoding: Encoding;
  readonly #delimiter: number;
  readonly #starts = new Int32Array(maxCells);
  readonly #ends = new Int32Array(maxCells);
  /** The offset of the delimiter or line end after each cell. */
  readonly #stops = new Int32Array(maxCells);
  readonly #flags = new Uint8Array(maxCells);
  readonly #recent: RecentTexts;
  /** The start of the current row and of the next. */
  #start = 0;
  #at = 0;
  /** How many cells at the start of the row are the same as in the row above. */
  #sharedCount = 0;
  /** The bytes around the current row as Latin-1 text; plain cells have the same offsets in it. */
  #window = "";
  #windowStart = 0;

  constructor(source: CsvBytes & { readonly delimiter: string }) {
    this.#bytes = source.bytes;
    this.#more = source.more;
    this.#recent = new RecentTexts(source.bytes, maxCells);
    this.#encoding = source.encoding;
    this.#delimiter = source.delimiter.charCodeAt(0);
  }

  /** Finds the cells of the next row. False at the end, or if `defect` is set. */
  next(): boolean {
    while (this.#more !== undefined && this.#at + maxRowLength >= this.#bytes.length) this.#slide(this.#more);
    const bytes = this.#bytes;
    const length = bytes.length;
    const start = this.#at;
    if (start >= length || this.defect !== null) return false;
    const delimiter = this.#delimiter;
    const limit = Math.min(length, start + maxRowLength);
    this.row++;
    let cell = this.#takeFromAbove(start, limit);
    let at = cell === 0 ? start : (this.#stops[cell - 1] ?? 0) + 1;
    let code = delimiter;
    while (code === delimiter) {
      if (cell === maxCells) return this.#stop("too-many-cells", cell);
      if (bytes[at] === quote) {
        at = this.#endOfQuoted(at + 1, cell, limit);
        if (at < 0) return false;
      } else {
        const from = at;
        let seen = 0;
        while (at < limit) {
          code = bytes[at] ?? 0;
          if (code === delimiter || code === lineFeed || code === carriageReturn) break;
          // Without a branch: the difference is negative for characters below a space, which sets this bit. A branch
          // would cost more than the rest of the loop.
          seen |= code | ((code - space) & controlBit);
          at++;
        }
        this.#starts[cell] = from;
        this.#ends[cell] = at;
        this.#flags[cell] = seen > 127 ? this.#flagsOf(seen) : 0;
      }
      this.#stops[cell] = at;
      cell++;
      if (at === limit && limit < length) return this.#stop("row-too-long", cell);
      code = at < length ? (bytes[at] ?? 0) : lineFeed;
      at++;
    }
    if (code === carriageReturn && bytes[at] === lineFeed) at++;
    this.cellCount = cell;
    this.#start = start;
    this.#at = at;
    if (at > this.#windowStart + this.#window.length) this.#moveWindow(start, at);
    return true;
  }

  /** Drops bytes that were read and gets more. The row above is kept, because the next row is compared with it. */
  #slide(more: NonNullable<CsvBytes["more"]>): void {
    const gone = this.#start;
    const bytes = more(this.#bytes.subarray(gone));
    if (bytes === null) {
      this.#more = undefined;
      return;
    }
    this.#bytes = bytes;
    this.#recent.moveTo(bytes);
    for (let cell = 0; cell < this.cellCount; cell++) {
      this.#starts[cell] = (this.#starts[cell] ?? 0) - gone;
      this.#ends[cell] = (this.#ends[cell] ?? 0) - gone;
      this.#stops[cell] = (this.#stops[cell] ?? 0) - gone;
    }
    this.#start = 0;
    this.#at -= gone;
    this.#window = "";
    this.#windowStart = 0;
  }

  /** The start of a row often repeats the row above: the offsets of those cells are shifted instead of searched. */
  #takeFromAbove(start: number, limit: number): number {
    const bytes = this.#bytes;
    const above = this.#start;
    const mostShared = Math.min(limit - start, start - above);
    let same = 0;
    while (same < mostShared && bytes[start + same] === bytes[above + same]) same++;
    const shift = start - above;
    let cell = 0;
    // Without the last cell: it is followed by a line end, not by a delimiter.
    while (cell < this.cellCount - 1 && (this.#stops[cell] ?? 0) < above + same) {
      this.#starts[cell] = (this.#starts[cell] ?? 0) + shift;
      this.#ends[cell] = (this.#ends[cell] ?? 0) + shift;
      this.#stops[cell] = (this.#stops[cell] ?? 0) + shift;
      cell++;
    }
    this.#sharedCount = cell;
    return cell;
  }

  /** Finds the end of a quoted cell: the offset of its delimiter or line end, or -1 if there is none. */
  #endOfQuoted(from: number, cell: number, limit: number): number {
    const bytes = this.#bytes;
    let at = from;
    let seen = 0;
    let flags = 0;
    for (; at < limit; at++) {
      const code = bytes[at] ?? 0;
      if (code !== quote) {
        // Line ends count as control characters here: in a number they mean that a quote was closed too late.
        seen |= code | ((code - space) & controlBit);
      } else if (bytes[at + 1] === quote) {
        flags = isEscaped;
        at++;
      } else break;
    }
    if (at >= limit) return this.#stop("unclosed-quote", cell) ? 0 : -1;
    this.#starts[cell] = from;
    this.#ends[cell] = at;
    this.#flags[cell] = seen > 127 ? flags | this.#flagsOf(seen) : flags;
    at++;
    while (bytes[at] === space && at < limit) at++;
    const code = at < bytes.length ? bytes[at] : lineFeed;
    const isEnd = code === this.#delimiter || code === lineFeed || code === carriageReturn;
    return isEnd || this.#stop("text-after-quote", cell) ? at : -1;
  }

  #flagsOf(seen: number): number {
    if (seen < controlBit) return isBeyondAscii;
    this.mayHoldControl = true;
    return (seen & 128) === 0 ? holdsControl : holdsControl | isBeyondAscii;
  }

  #stop(defect: CsvDefect, cell: number): false {
    this.defect = defect;
    this.defectCell = cell;
    return false;
  }

  #moveWindow(start: number, end: number): void {
    const last = Math.min(this.#bytes.length, Math.max(end, start + windowLength));
    this.#window = this.#bytes.toString("latin1", start, last);
    this.#windowStart = start;
  }

  /** The cell as written, without its quotes. */
  cell(index: number): string {
    if (index >= this.cellCount) return "";
    const start = this.#starts[index] ?? 0;
    return this.#text(index, start, this.#ends[index] ?? 0);
  }

  /** The cell without surrounding white space. */
  trimmed(index: number): string {
    if (index >= this.cellCount) return "";
    const start = this.#starts[index] ?? 0;
    const end = this.#ends[index] ?? 0;
    if (start === end) return "";
    const first = this.#bytes[start] ?? 0;
    const last = this.#bytes[end - 1] ?? 0;
    const isTight = first > space && first < 127 && last > space && last < 127;
    const text = this.#text(index, start, end);
    return isTight ? text : text.trim();
  }

  #text(index: number, start: number, end: number): string {
    const flags = this.#flags[index] ?? 0;
    if (flags === 0) return this.#recent.get(index, start, end, this.#plainText);
    const encoding = (flags & isBeyondAscii) === 0 ? "utf-8" : this.#encoding;
    const text = decode(this.#bytes, encoding, start, end);
    return (flags & isEscaped) === 0 ? text : text.replaceAll('""', '"');
  }

  readonly #plainText = (start: number, end: number): string => {
    if (end - start > longestCopiedSlice) return this.#bytes.toString("latin1", start, end);
    return this.#window.slice(start - this.#windowStart, end - this.#windowStart);
  };

  /** Whether the cell has only ASCII characters, and no control characters. */
  isPlain(index: number): boolean {
    return ((this.#flags[index] ?? 0) & (isBeyondAscii | holdsControl)) === 0;
  }

  /** Whether any cell of the current row has this control character. */
  hasControl(character: string): boolean {
    for (let index = 0; index < this.cellCount; index++) {
      if (((this.#flags[index] ?? 0) & holdsControl) !== 0 && this.cell(index).includes(character)) return true;
    }
    return false;
  }

  /** Whether the cell is known to be the same as in the row above, so that it need not be read again. */
  isAsAbove(index: number): boolean {
    return index < this.#sharedCount;
  }

  /** The value of a cell with one to fifteen digits and nothing else, read without making a string; otherwise -1. */
  digits(index: number): number {
    const start = this.#starts[index] ?? 0;
    const end = index < this.cellCount ? (this.#ends[index] ?? 0) : start;
    if (end === start || end - start > 15) return -1;
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = (this.#bytes[at] ?? 0) - 48;
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }

  /** Whether any cell of the row is blank. */
  hasBlank(): boolean {
    for (let index = 0; index < this.cellCount; index++) if (this.trimmed(index) === "") return true;
    return false;
  }

  isBlank(): boolean {
    for (let index = 0; index < this.cellCount; index++) {
      const start = this.#starts[index] ?? 0;
      if (start === this.#ends[index]) continue;
      const first = this.#bytes[start] ?? 0;
      if ((first > space && first < 127) || this.trimmed(index) !== "") return false;
    }
    return true;
  }
}
