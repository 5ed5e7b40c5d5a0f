import type { SqlValue } from "../row.ts";
import { readVarint } from "./tree-page.ts";

/** The values of a row as SQLite stores it; null if the bytes are not those of a row. */
export function readRecord(bytes: Buffer): SqlValue[] | null {
  const head = readVarint(bytes, 0);
  if (head === null || head.value < head.end || head.value > bytes.length) return null;
  const values: SqlValue[] = [];
  let at = head.value;
  for (let next = head.end; next < head.value; ) {
    const type = readVarint(bytes, next);
    if (type === null || type.end > head.value || type.value < 0) return null;
    const length = lengthOf(type.value);
    if (length === null || at + length > bytes.length) return null;
    values.push(valueIn(bytes.subarray(at, at + length), type.value));
    at += length;
    next = type.end;
  }
  return at === bytes.length ? values : null;
}

/** By the number of the type. */
const fixedLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number | null {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return fixedLengths[type] ?? null;
}

function valueIn(bytes: Buffer, type: number): SqlValue {
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  if (type >= 12) return type % 2 === 0 ? Uint8Array.from(bytes) : bytes.toString("utf8");
  if (type !== 6) return bytes.readIntBE(0, bytes.length);
  const whole = bytes.readBigInt64BE(0);
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}
