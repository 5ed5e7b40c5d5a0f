import { setImmediate as nextTurn } from "node:timers/promises";
import { textSlices, writeInTurns } from "../../../kit/json/write-in-turns.ts";
import { Fault } from "../../../operation/fault.ts";

type FlatMembers = Readonly<Record<string, unknown>>;

/** The same limit as for reading CSV files. */
const mostColumns = 1_000;
/** This many members are copied in about a millisecond. */
const membersPerTurn = 2_000;

/**
 * Returns rows whose nested objects are flattened to dotted names; lists stay as they are. Other requests run
 * meanwhile.
 */
export async function flattened(values: readonly object[]): Promise<FlatMembers[]> {
  let count = 0;
  const rows: FlatMembers[] = [];
  for (const value of values) {
    const row: Record<string, unknown> = {};
    for (const [name, member] of flatMembers(value, "")) {
      // Assigning to __proto__ would set the prototype.
      Object.defineProperty(row, name, { value: member, writable: true, enumerable: true, configurable: true });
      if (++count % membersPerTurn === 0) await nextTurn();
    }
    rows.push(row);
  }
  return rows;
}

function* flatMembers(value: object, prefix: string): Generator<readonly [name: string, member: unknown]> {
  for (const [name, member] of Object.entries(value)) {
    const key = prefix === "" ? name : `${prefix}.${name}`;
    const isInner = typeof member === "object" && member !== null && !Array.isArray(member);
    if (isInner) yield* flatMembers(member, key);
    else yield [key, member];
  }
}

/** Returns the columns of the rows when the configuration names none. */
export function columnsOf(rows: readonly FlatMembers[]): readonly string[] {
  const columns = new Set<string>();
  for (const row of rows) {
    for (const name in row) {
      columns.add(name);
      if (columns.size > mostColumns) {
        const text = `the event has more than ${mostColumns} members: choose those to write with \`columns\` or \`map\``;
        throw new Fault("rejected", text);
      }
    }
  }
  return [...columns];
}

interface CsvShape {
  readonly columns: readonly string[];
  readonly delimiter: string;
  readonly header: boolean;
}

/** Writes rows as CSV (RFC 4180). Values are exact: text that a spreadsheet would read as a formula is not escaped. */
export async function* csvPieces(
  rows: readonly FlatMembers[],
  { columns, delimiter, header }: CsvShape,
): AsyncGenerator<string> {
  if (header) yield `${columns.map((column) => [...quoted(column, delimiter)].join("")).join(delimiter)}\r\n`;
  for (const row of rows) {
    for (const [index, column] of columns.entries()) {
      if (index > 0) yield delimiter;
      yield* quoted(await cellText(Object.hasOwn(row, column) ? row[column] : null), delimiter);
    }
    yield "\r\n";
  }
}

async function cellText(value: unknown): Promise<string> {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? ((await writeInTurns(value)) ?? "") : String(value);
}

const sliceLength = 64 * 1024;

function* quoted(text: string, delimiter: string): Generator<string> {
  const mustQuote = text.includes(delimiter) || /["\r\n]/.test(text) || text.trim() !== text;
  if (!mustQuote) {
    yield text;
    return;
  }
  yield '"';
  for (const slice of textSlices(text, sliceLength)) yield slice.replaceAll('"', '""');
  yield '"';
}
