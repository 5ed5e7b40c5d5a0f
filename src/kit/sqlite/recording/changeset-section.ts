import type { SqlValue } from "../row.ts";

/** A table as a changeset names it. */
export interface RecordedTable {
  readonly name: string;
  /** The position of each column in the primary key, counted from 1; 0 if it is not a part of it. */
  readonly keyPositions: readonly number[];
  /** Whether each column stores all numbers as real ones. */
  readonly areReal: readonly boolean[];
}

/** The changes of one table, in the format of SQLite's session extension. */
export interface ChangesetSection {
  readonly insert: (row: readonly SqlValue[]) => void;
  /** In both lists, undefined stands for a column that is neither changed nor, in the first one, part of the key. */
  readonly update: (before: readonly (SqlValue | undefined)[], after: readonly (SqlValue | undefined)[]) => void;
  /** Empty without changes. Valid until the next change. */
  readonly bytes: () => Uint8Array;
  readonly clear: () => void;
}

/** SQLite's numbers for what was done and for the types of values. */
const inserted = 18;
const updated = 23;
const valueType = { undefined: 0, integer: 1, real: 2, text: 3, blob: 4, null: 5 } as const;

const firstBytes = 4_096;
/** A section that was longer gets a new buffer, so that a single long transaction does not keep its memory. */
const mostKeptBytes = 2 ** 20;
/** Enough for a type and the longest number, or a type and the length of a text. */
const mostOfNumber = 10;

export function changesetSection({ name, keyPositions, areReal }: RecordedTable): ChangesetSection {
  const head = Buffer.concat([
    Buffer.from([0x54, ...varint(keyPositions.length), ...keyPositions]),
    Buffer.from(`${name}\0`),
  ]);
  let buffer = Buffer.alloc(0);
  let view = new DataView(buffer.buffer);
  let end = head.length;
  /** Continues in a buffer of this length, with what the current one has up to the end. */
  const moveTo = (length: number) => {
    const larger = Buffer.allocUnsafeSlow(length);
    (end === head.length ? head : buffer).copy(larger, 0, 0, end);
    buffer = larger;
    view = new DataView(larger.buffer);
  };
  moveTo(firstBytes + head.length);

  const reserve = (bytes: number) => {
    if (end + bytes > buffer.length) moveTo(Math.max(2 * buffer.length, end + bytes));
  };
  const writeLength = (length: number) => {
    if (length < 0x80) buffer[end++] = length;
    else for (const byte of varint(length)) buffer[end++] = byte;
  };
  const write = (value: SqlValue | undefined, isReal: boolean | undefined) => {
    reserve(mostOfNumber);
    if (value === undefined) buffer[end++] = valueType.undefined;
    else if (value === null) buffer[end++] = valueType.null;
    else if (typeof value === "string") {
      const length = Buffer.byteLength(value);
      buffer[end++] = valueType.text;
      writeLength(length);
      reserve(length);
      end += buffer.write(value, end);
    } else if (typeof value === "number" && isReal === true) {
      buffer[end++] = valueType.real;
      view.setFloat64(end, value);
      end += 8;
    } else if (typeof value === "number") {
      buffer[end++] = valueType.integer;
      view.setInt32(end, Math.floor(value / 2 ** 32));
      view.setUint32(end + 4, value >>> 0);
      end += 8;
    } else if (typeof value === "bigint") {
      buffer[end++] = valueType.integer;
      view.setBigInt64(end, value);
      end += 8;
    } else {
      buffer[end++] = valueType.blob;
      writeLength(value.length);
      reserve(value.length);
      buffer.set(value, end);
      end += value.length;
    }
  };
  const writeRow = (row: readonly (SqlValue | undefined)[]) => {
    for (let index = 0; index < row.length; index++) write(row[index], areReal[index]);
  };
  const begin = (operation: number) => {
    reserve(2);
    buffer[end++] = operation;
    // Not made by a trigger.
    buffer[end++] = 0;
  };

  return {
    insert: (row) => {
      begin(inserted);
      writeRow(row);
    },
    update: (before, after) => {
      begin(updated);
      writeRow(before);
      writeRow(after);
    },
    bytes: () => buffer.subarray(end === head.length ? end : 0, end),
    clear: () => {
      end = head.length;
      if (buffer.length > mostKeptBytes) moveTo(firstBytes + head.length);
    },
  };
}

/** SQLite's number of variable length: seven bits a byte, the highest first. */
function varint(value: number): readonly number[] {
  if (value < 0x80) return [value];
  if (value < 0x4000) return [(value >> 7) | 0x80, value & 0x7f];
  const bytes = [value % 0x80];
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80))
    bytes.unshift((rest % 0x80) | 0x80);
  return bytes;
}
