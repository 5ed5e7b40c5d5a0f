import type { SqlValue } from "../row.ts";
import { readRecord } from "./read-record.ts";
import { pageKind, readTreePage, type TreeCell, type TreePage } from "./tree-page.ts";

/** The pages of a damaged database. */
export interface PageSource {
  readonly pages: number;
  readonly usableBytes: number;
  /** Null if the page is not there, or known to be damaged. Valid until the next page is read. */
  readonly read: (page: number) => Buffer | null;
  /** Notes that a page has its place. Returns false if it had one already: two trees never share a page. */
  readonly claim: (page: number) => boolean;
}

/** The row number, or the values of the row in a tree without row numbers. */
export type RowKey = number | readonly SqlValue[];

export interface TreeRow {
  readonly rowId: number | null;
  readonly values: readonly SqlValue[];
}

/** What cannot be read: all rows after one key and up to another. Null: from the first, or to the last. */
export interface TreeHole {
  readonly after: RowKey | null;
  readonly upTo: RowKey | null;
}

export type TreePart = { readonly row: TreeRow } | { readonly hole: TreeHole };

/** Yields the rows of a tree in their order, and what of it cannot be read. Only one way down the tree is in memory. */
export function* walkTree(source: PageSource, root: number, range: TreeHole = whole, depth = 1): Generator<TreePart> {
  const page = depth <= mostDepth && source.claim(root) ? treePageIn(source, root) : null;
  if (page === null) {
    yield { hole: range };
    return;
  }
  let { after } = range;
  for (const cell of page.cells) {
    const row = rowOf(source, cell);
    const key = cell.rowId ?? row?.values ?? null;
    if (cell.child !== null) yield* walkTree(source, cell.child, { after, upTo: key ?? range.upTo }, depth + 1);
    if (row !== null) yield { row };
    else if (cell.payload !== null) yield { hole: { after: rowBefore(key) ?? after, upTo: key ?? range.upTo } };
    after = key ?? after;
  }
  if (page.lastChild !== null) yield* walkTree(source, page.lastChild, { after, upTo: range.upTo }, depth + 1);
}

/** SQLite itself goes no deeper. */
const mostDepth = 20;
const whole: TreeHole = { after: null, upTo: null };

const rowBefore = (key: RowKey | null): number | null => (typeof key === "number" ? key - 1 : null);

/** Reads the rows of one page whose place in the tree is not known; null if one of them cannot be read. */
export function rowsOfPage(
  source: PageSource,
  page: number,
): { readonly isTable: boolean; readonly rows: readonly TreeRow[] } | null {
  const found = treePageIn(source, page);
  if (found === null || found.kind === pageKind.tableInner || found.cells.length === 0) return null;
  const rows: TreeRow[] = [];
  for (const cell of found.cells) {
    const row = rowOf(source, cell, { isClaimed: false });
    if (row === null) return null;
    rows.push(row);
  }
  return { isTable: found.kind === pageKind.tableLeaf, rows };
}

function treePageIn(source: PageSource, page: number): TreePage | null {
  const bytes = source.read(page);
  // A copy, because other pages are read before the last of its cells is used.
  return bytes === null ? null : readTreePage(Buffer.from(bytes), page, source.usableBytes);
}

function rowOf(source: PageSource, { rowId, payload }: TreeCell, { isClaimed = true } = {}): TreeRow | null {
  if (payload === null || payload.bytes > source.pages * source.usableBytes) return null;
  const parts: Uint8Array[] = [payload.local];
  let left = payload.bytes - payload.local.length;
  for (let page = payload.overflow; left > 0; ) {
    if (isClaimed && !source.claim(page)) return null;
    const bytes = source.read(page);
    if (bytes === null) return null;
    const length = Math.min(left, source.usableBytes - 4);
    parts.push(Buffer.from(bytes.subarray(4, 4 + length)));
    left -= length;
    page = bytes.readUInt32BE(0);
  }
  const values = readRecord(parts.length === 1 ? payload.local : Buffer.concat(parts));
  return values === null ? null : { rowId, values };
}

/** Compares keys as SQLite orders them: NULL, numbers, texts by their bytes, blobs. */
export function compareKeys(one: RowKey, other: RowKey): number {
  if (typeof one === "number" || typeof other === "number") return Number(one) - Number(other);
  for (let nth = 0; nth < Math.min(one.length, other.length); nth++) {
    const order = compareValues(one[nth] ?? null, other[nth] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(one: SqlValue, other: SqlValue): number {
  const rank = (value: SqlValue) =>
    value === null ? 0 : typeof value === "string" ? 2 : value instanceof Uint8Array ? 3 : 1;
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (one === null || other === null) return 0;
  if (rank(one) === 1) return one < other ? -1 : one > other ? 1 : 0;
  return Buffer.compare(bytesOf(one), bytesOf(other));
}

const bytesOf = (value: SqlValue): Uint8Array =>
  value instanceof Uint8Array ? value : Buffer.from(String(value), "utf8");
