import { CellReader } from "./cell-reader.ts";
import { CsvRows } from "./csv-rows.ts";
import type { CsvLayout } from "./detect-csv.ts";
import { asBuffer, asciiCompatible } from "./encoding.ts";
import { headersOf, notesOf } from "./file-notes.ts";
import type { Detected, FileReading } from "./file-reading.ts";
import type { FileSettings } from "./file-settings.ts";
import type { ColumnMap } from "./map-columns.ts";
import { ProblemList } from "./problem-list.ts";
import { readingOf } from "./reading-of.ts";
import { disagree } from "./rival-columns.ts";
import { RowFilter } from "./row-filter.ts";
import { whereColumns } from "./where.ts";

export interface RecordBuilder<Item> {
  readonly recordCount: number;
  addRow(): void;
  /** A row whose cells do not fit the header. */
  spoilRow(): void;
  finish(): { records: Item[]; badCount: number };
}

interface Needs<Item> {
  readonly bytes: Uint8Array;
  readonly layout: CsvLayout;
  readonly settings: FileSettings;
  readonly builder: (cells: CellReader, map: ColumnMap) => RecordBuilder<Item>;
  /** Whether a row without a number belongs to the one above. */
  readonly hasHeadRows: boolean;
}

const endMark = "\u001a";

/** Reads a CSV file whose layout is known, in one pass over its text. */
export function readCsv<Item>(needs: Needs<Item>): FileReading<Item> {
  const { bytes, layout, settings } = needs;
  const problems = new ProblemList();
  const source = asciiCompatible(asBuffer(bytes), layout.encoding, layout.markLength);
  const rows = new CsvRows({ ...source, delimiter: layout.delimiter });
  const cells = new CellReader({ rows, problems, settings, decimals: layout.decimals, dates: layout.dates });
  const builder = needs.builder(cells, layout.map);
  const { map } = layout;
  const width = map.all.length;
  const wanted = whereColumns([layout.profile?.where, settings.where], headersOf(map));
  const numberIndex = map.columns.find(({ field }) => field.name === "number" && needs.hasHeadRows)?.index;
  const filter = new RowFilter(wanted.conditions, numberIndex);
  for (const column of wanted.missing) problems.add("files.header.where", { row: layout.headerRow, column });
  const unnamed = map.all.flatMap(({ header }, index) => (header.trim() === "" ? [index] : []));
  const filledUnnamed = new Set<number>();

  while (rows.next() && !cells.mustStartAgain) {
    if (rows.row <= layout.headerRow) continue;
    if (rows.mayHoldControl) {
      const flaw = rows.hasControl(endMark) ? "files.row.end-mark" : rows.hasControl("\0") ? "files.row.nul" : null;
      if (flaw !== null) {
        problems.add(flaw, { row: rows.row });
        builder.spoilRow();
        continue;
      }
    }
    if (rows.cellCount !== width && !isOnlyPadded(rows, width)) {
      if (rows.isBlank()) continue;
      problems.add("files.row.cells", { row: rows.row }, { found: rows.cellCount, expected: width });
      builder.spoilRow();
      continue;
    }
    if (rows.isBlank()) continue;
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
  }
  if (cells.mustStartAgain) {
    return readCsv({ ...needs, layout: { ...layout, decimals: cells.decimals.guess, dates: cells.dates.guess } });
  }
  const detected = detectedOf(layout, cells);
  const notes = notesOf({ map, filledUnnamed, leftOut: filter.leftOut, cells });
  if (rows.defect !== null) {
    const column = layout.map.all[rows.defectCell]?.header ?? String(rows.defectCell + 1);
    problems.add(`files.row.${rows.defect}`, { row: rows.row, column });
    // Half a file is none: what follows is unknown, so not even the good part is given.
    return readingOf({ records: [], badCount: 0, problems, detected, isPartial: false });
  }
  const { records, badCount } = builder.finish();
  return readingOf({ records, badCount, problems, detected, isPartial: settings.partial ?? false, notes });
}

/** More cells than columns, all blank: a delimiter at the end of the line, which many programs write. */
function isOnlyPadded(rows: CsvRows, width: number): boolean {
  if (rows.cellCount < width) return false;
  for (let index = width; index < rows.cellCount; index++) if (rows.trimmed(index) !== "") return false;
  return true;
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
    // Where the cells leave it open we do not claim one.
    ...(decimals.isOpen ? {} : { decimalSign: decimals.guess.choice, decimalBasis: decimals.guess.basis }),
    dateOrder: dates.choice,
    dateBasis: dates.basis,
    columns: map.all,
  };
}
