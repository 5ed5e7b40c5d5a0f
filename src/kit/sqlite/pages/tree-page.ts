/** The kinds of pages of SQLite's trees, by their first byte. */
export const pageKind = { indexInner: 2, tableInner: 5, indexLeaf: 10, tableLeaf: 13 } as const;
export type PageKind = (typeof pageKind)[keyof typeof pageKind];

export interface TreeCell {
  /** The page with the rows before this one; null in a leaf. */
  readonly child: number | null;
  /** Null in a tree without row numbers: an index, or a table without them. */
  readonly rowId: number | null;
  /** The bytes of the row that are in this page; null in an inner page of a table. */
  readonly payload: { readonly local: Buffer; readonly bytes: number; readonly overflow: number } | null;
}

export interface TreePage {
  readonly kind: PageKind;
  /** The page with the rows after the last cell; null in a leaf. */
  readonly lastChild: number | null;
  readonly cells: readonly TreeCell[];
}

const fileHeaderBytes = 100;

/** Null if the bytes are not those of a page of a tree, or if a part of it points outside the page. */
export function readTreePage(bytes: Buffer, page: number, usableBytes: number): TreePage | null {
  const start = page === 1 ? fileHeaderBytes : 0;
  const kind = kindOf(bytes[start] ?? 0);
  if (kind === null) return null;
  const isInner = kind === pageKind.tableInner || kind === pageKind.indexInner;
  const count = bytes.readUInt16BE(start + 3);
  const pointers = start + (isInner ? 12 : 8);
  if (pointers + 2 * count > usableBytes) return null;
  const cells: TreeCell[] = [];
  for (let nth = 0; nth < count; nth++) {
    const at = bytes.readUInt16BE(pointers + 2 * nth);
    const cell = at < pointers + 2 * count ? null : readCell(bytes.subarray(0, usableBytes), at, kind);
    if (cell === null) return null;
    cells.push(cell);
  }
  return { kind, lastChild: isInner ? bytes.readUInt32BE(start + 8) : null, cells };
}

function kindOf(byte: number): PageKind | null {
  return Object.values(pageKind).find((kind) => kind === byte) ?? null;
}

function readCell(bytes: Buffer, at: number, kind: PageKind): TreeCell | null {
  let next = at;
  let child: number | null = null;
  if (kind === pageKind.tableInner || kind === pageKind.indexInner) {
    if (at + 4 > bytes.length) return null;
    child = bytes.readUInt32BE(at);
    next = at + 4;
  }
  if (kind === pageKind.tableInner) {
    const key = readVarint(bytes, next);
    return key === null ? null : { child, rowId: key.value, payload: null };
  }
  const length = readVarint(bytes, next);
  if (length === null || length.value < 0) return null;
  next = length.end;
  let rowId: number | null = null;
  if (kind === pageKind.tableLeaf) {
    const key = readVarint(bytes, next);
    if (key === null) return null;
    rowId = key.value;
    next = key.end;
  }
  const isTable = kind === pageKind.tableLeaf;
  const local = localBytes(length.value, { isTable, usableBytes: bytes.length });
  const isWhole = local === length.value;
  if (next + local + (isWhole ? 0 : 4) > bytes.length) return null;
  const overflow = isWhole ? 0 : bytes.readUInt32BE(next + local);
  return { child, rowId, payload: { local: bytes.subarray(next, next + local), bytes: length.value, overflow } };
}

/** How much of a row is in its page; the rest is in overflow pages. See "B-tree Cell Format" of SQLite's file format. */
function localBytes(length: number, { isTable, usableBytes }: { isTable: boolean; usableBytes: number }): number {
  const most = isTable ? usableBytes - 35 : Math.floor(((usableBytes - 12) * 64) / 255) - 23;
  if (length <= most) return length;
  const least = Math.floor(((usableBytes - 12) * 32) / 255) - 23;
  const filled = least + ((length - least) % (usableBytes - 4));
  return filled <= most ? filled : least;
}

/** Null if it is cut off, or too large for a whole number of JavaScript. */
export function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  // Nearly all are short, and these need no large numbers.
  let short = 0;
  for (let nth = 0; nth < 7; nth++) {
    const byte = bytes[at + nth];
    if (byte === undefined) return null;
    short = short * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value: short, end: at + nth + 1 };
  }
  let value = 0n;
  for (let nth = 0; nth < 9; nth++) {
    const byte = bytes[at + nth];
    if (byte === undefined) return null;
    value = nth === 8 ? (value << 8n) | BigInt(byte) : (value << 7n) | BigInt(byte & 0x7f);
    if (nth < 8 && byte >= 0x80) continue;
    const whole = Number(BigInt.asIntN(64, value));
    return Number.isSafeInteger(whole) ? { value: whole, end: at + nth + 1 } : null;
  }
  return null;
}
