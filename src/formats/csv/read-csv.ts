import { asBuffer, asciiCompatible } from "../encodings/encoding.ts";
import { CellReader } from "../fields/cell-reader.ts";
import { type Detected, type FileNotes, type FileReading, ProblemList, readingOf } from "../import/file-reading.ts";
import type { FileSettings } from "../import/file-settings.ts";
import { RowFilter, whereColumns } from "../import/where.ts";
import type { ApartKeys } from "../stream/key-hashes.ts";
import { notesOf } from "./csv-notes.ts";
import { type CsvBytes, CsvRows } from "./csv-rows.ts";
import type { CsvLayout } from "./detect-csv.ts";
import { floatNumberFinder } from "./float-number.ts";
import type { Column, ColumnMap, Rival } from "./map-columns.ts";
import { rowFlawFinder } from "./row-flaw.ts";
import { splitNumberFinder } from "./split-number.ts";

export interface RecordBuilder<Item> {
  addRow(): void;
  /** Called for a row whose cells do not match the header. */
  spoilRow(): void;
  /** For a streamed file: the records that were completed since the last call. */
  takeEnded(): Item[];
  /** How many rows of incomplete records are in memory. */
  readonly heldRows: number;
  /** The remaining records, and the total number of bad ones. */
  finish(): { records: Item[]; badCount: number };
}

/**
 * Makes a builder. If it gets the keys whose rows are not adjacent, it releases every other record as soon as it is
 * complete.
 */
export type BuilderOf<Item> = (cells: CellReader, map: ColumnMap, apart?: ApartKeys) => RecordBuilder<Item>;

interface Needs<Item> {
  readonly layout: CsvLayout;
  readonly settings: FileSettings;
  readonly builder: BuilderOf<Item>;
  /** Whether a row without a number belongs to the row above. */
  readonly hasHeadRows: boolean;
}

export interface PassNeeds<Item> extends Needs<Item> {
  /** Each call starts at the beginning of the content. */
  readonly open: () => CsvBytes;
  readonly apart?: ApartKeys;
}

/** The result of one pass over a file, besides the records that were released on the way. */
export type PassResult<Item> =
  | { readonly again: CsvLayout }
  | {
      readonly records: Item[];
      readonly badCount: number;
      readonly problems: ProblemList;
      readonly detected: Detected;
      /** Undefined if the file ends within a row: half a file is refused. */
      readonly notes?: FileNotes;
    };

const endMark = "\u001a";
/** NUL stands in damaged files. ESC switches alphabets in ISO-2022-JP: without the switch, letters are read as signs. */
const notText = ["\0", "\u001b"];
/** Limit for records whose rows are not adjacent, in a streamed file. */
export const mostHeldRows = 200_000;
/** Rows between two releases of complete records. */
const rowsPerStep = 64;

/** Reads a CSV file of a known layout in one pass. */
export function readCsv<Item>({ bytes, ...needs }: Needs<Item> & { readonly bytes: Uint8Array }): FileReading<Item> {
  const { layout, settings } = needs;
  const open = () => asciiCompatible(asBuffer(bytes), layout.encoding, layout.markLength);
  const found = csvPass({ ...needs, open }).next().value;
  if (Array.isArray(found)) throw new Error("records were released early although no keys were given");
  if ("again" in found) return readCsv({ ...needs, bytes, layout: found.again });
  const { records, badCount, problems, detected, notes } = found;
  const isPartial = notes !== undefined && settings.badRecords === "quarantine";
  return readingOf({ records, badCount, problems, detected, isPartial, ...(notes === undefined ? {} : { notes }) });
}

/**
 * One pass over the file. If it gets the keys whose rows are not adjacent, it yields other records as soon as they are
 * complete.
 */
export function* csvPass<Item>(needs: PassNeeds<Item>): Generator<Item[], PassResult<Item>> {
  const { layout, settings, apart } = needs;
  const problems = new ProblemList();
  const rows = new CsvRows({ ...needs.open(), delimiter: layout.delimiter });
  const { map, decimals, dates } = layout;
  const cells = new CellReader({ rows, problems, columns: map.columns, settings, decimals, dates });
  const builder = needs.builder(cells, map, apart);
  const width = map.all.length;
  const wanted = whereColumns([layout.profile?.where, settings.where], headersOf(map));
  const numberIndex = map.columns.find(({ field }) => field.name === "number" && needs.hasHeadRows)?.index;
  const filter = new RowFilter(wanted.conditions, numberIndex);
  for (const column of wanted.missing) problems.add("files.header.where", { row: layout.headerRow, column });
  const unnamed = map.all.flatMap(({ header }, index) => (header.trim() === "" ? [index] : []));
  const filledUnnamed = new Set<number>();
  const flawOf = rowFlawFinder(map, layout.delimiter);
  const splits = splitNumberFinder(map, layout.delimiter);
  const floats = floatNumberFinder(map);

  const isPartial = settings.badRecords === "quarantine";
  while (rows.next() && !cells.mustStartAgain) {
    if (rows.row <= layout.headerRow) continue;
    // The file is refused anyway, unless a later cell decides how ambiguous ones are read.
    if (problems.isFull && !isPartial && !cells.isUndecided) {
      return { records: [], badCount: 0, problems, detected: detectedOf(layout, cells) };
    }
    if (apart !== undefined && rows.row % rowsPerStep === 0) {
      const ended = builder.takeEnded();
      if (ended.length > 0) yield ended;
      if (builder.heldRows > mostHeldRows) {
        problems.add("files.row.apart", { row: rows.row }, { limit: mostHeldRows });
        return { records: [], badCount: 0, problems, detected: detectedOf(layout, cells) };
      }
    }
    if (rows.mayHoldControl) {
      const isNoText = notText.some((character) => rows.hasControl(character));
      const flaw = rows.hasControl(endMark) ? "files.row.end-mark" : isNoText ? "files.row.nul" : null;
      if (flaw !== null) {
        problems.add(flaw, { row: rows.row });
        builder.spoilRow();
        continue;
      }
    }
    if (rows.cellCount !== width && !isOnlyPadded(rows, layout)) {
      if (rows.isBlank()) continue;
      problems.add("files.row.cells", { row: rows.row }, { found: rows.cellCount, expected: width });
      builder.spoilRow();
      continue;
    }
    if (rows.isBlank()) continue;
    const flaw = flawOf(rows);
    if (flaw !== null) {
      problems.add(flaw.key, { row: rows.row, ...("column" in flaw ? { column: flaw.column } : {}) });
      // What a quotation mark has swallowed is lost, so not even the good part is used.
      if (flaw.key === "files.row.rows-in-quotes") {
        return { records: [], badCount: 0, problems, detected: detectedOf(layout, cells) };
      }
      builder.spoilRow();
      continue;
    }
    if (filter.isActive) {
      const verdict = filter.judge(rows);
      if (verdict === "unclear") {
        problems.add("files.row.where-unclear", { row: rows.row, column: filter.unclearColumn });
        builder.spoilRow();
      }
      if (verdict !== "taken") continue;
    }
    if (unnamed.length > 0) for (const index of unnamed) if (rows.trimmed(index) !== "") filledUnnamed.add(index);
    if (map.rivals.length > 0 && disagree(cells, map.rivals)) builder.spoilRow();
    else builder.addRow();
    splits.look(rows);
    floats.look(rows);
  }
  if (cells.mustStartAgain) {
    return { again: { ...layout, decimals: cells.decimals.guess, dates: cells.dates.guess } };
  }
  const detected = detectedOf(layout, cells);
  const notes = {
    ...notesOf({ map, filledUnnamed, leftOut: filter.leftOut, cells }),
    ...{ splitNumber: splits.found(), floatNumber: floats.found() },
  };
  if (rows.defect !== null) {
    const column = layout.map.all[rows.defectCell]?.header ?? String(rows.defectCell + 1);
    problems.add(`files.row.${rows.defect}`, { row: rows.row, column });
    // Half a file is refused: what follows is unknown, so even the good part is not used.
    return { records: [], badCount: 0, problems, detected };
  }
  return { ...builder.finish(), problems, detected, notes };
}

/** More cells than columns, all blank: a delimiter at the end of the line, which many programs write. */
function isOnlyPadded(rows: CsvRows, { map, delimiter }: CsvLayout): boolean {
  const width = map.all.length;
  if (rows.cellCount < width) return false;
  for (let index = width; index < rows.cellCount; index++) if (rows.trimmed(index) !== "") return false;
  return delimiter !== "," || !map.columns.some((column) => maySplitNumber(rows, column));
}

/** `1,5` in a file with commas takes two cells, and a blank cell at the end of the row hides that there is one too many. */
function maySplitNumber(rows: CsvRows, { index, field: { kind } }: Column): boolean {
  if (kind !== "amount" && kind !== "number" && kind !== "whole-number") return false;
  return rows.digits(index) >= 0 && /^\d{1,3}$/.test(rows.trimmed(index + 1));
}

function detectedOf(layout: CsvLayout, cells: CellReader): Detected {
  const { map } = layout;
  const { decimals } = cells;
  const dates = cells.hasOrderedDates ? cells.dates.guess : ({ choice: "ymd", basis: "evidence" } as const);
  const required = map.columns.filter(({ field }) => field.required).length;
  const known = map.columns.length / Math.max(1, map.all.length);
  const sure = (basis: string) => (basis === "none" ? 0.5 : 1);
  const confidence =
    0.6 * (required / Math.max(1, required + map.missing.length)) +
    0.2 * known +
    0.1 * layout.regularity +
    0.1 * sure(dates.basis);
  return {
    kind: "csv",
    encoding: layout.encoding,
    profile: layout.profile?.name ?? null,
    confidence: Math.round(confidence * 100) / 100,
    delimiter: layout.delimiter,
    headerRow: layout.headerRow,
    // If the cells do not decide it, no decimal sign is reported.
    ...(decimals.isOpen ? {} : { decimalSign: decimals.guess.choice, decimalBasis: decimals.guess.basis }),
    dateOrder: dates.choice,
    dateBasis: dates.basis,
    columns: map.all,
  };
}

/** Whether two columns with the same meaning differ in the current row; the difference is reported. */
function disagree(cells: CellReader, rivals: readonly Rival[]): boolean {
  let isBad = false;
  for (const { column, rival } of rivals) {
    const { rows } = cells;
    const text = rows.trimmed(column.index);
    const otherText = rows.trimmed(rival.index);
    if (otherText === "" || otherText === text) continue;
    const value = text === "" ? undefined : cells.read(column);
    const other = cells.read({ ...rival, field: column.field });
    if (other !== null && other === value) continue;
    isBad = true;
    // A cell that cannot be read was already reported.
    if (value === null || other === null) continue;
    const details = { otherColumn: rival.header, otherValue: otherText, member: column.field.name };
    cells.refuse(column, "files.cell.two-columns", details);
  }
  return isBad;
}

const headersOf = (map: ColumnMap): string[] => map.all.map(({ header }) => header);
