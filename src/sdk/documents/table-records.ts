import { isTotal, quotedFormula, scientific, traceInText } from "../records/cells/spreadsheet-trace.ts";
import { CsvRows } from "../records/csv-rows.ts";
import { type CsvLayout, detectCsv } from "../records/detect-csv.ts";
import { asBuffer, asciiCompatible } from "../records/encoding.ts";
import type { Field } from "../records/field.ts";
import type { FileNotes } from "../records/file-reading.ts";
import type { FileSettings } from "../records/file-settings.ts";
import { type Column, headerIndex } from "../records/map-columns.ts";
import { ProblemList } from "../records/problem-list.ts";
import { RowFilter } from "../records/row-filter.ts";
import { whereColumns } from "../records/where.ts";
import { all, refusedBecause, type SourceRecord, type SourceRecords } from "./source-records.ts";

type Row = Record<string, string>;

export interface TableNeeds {
  /** Columns that the mapping reads: by them delimiter, encoding and header row are found. */
  readonly columns: readonly string[];
  readonly groupBy: string | undefined;
  readonly settings: Pick<FileSettings, "profiles" | "encoding" | "where">;
}

/** The rows of a CSV file as objects by heading, for a mapping; or those of one key together, with its rows in `rows`. */
export function tableRecords(bytes: Uint8Array, needs: TableNeeds): SourceRecords {
  // Required, or the search for the header row would end at the first row, whatever stands there.
  const required = { scope: "record", kind: "text", headers: {}, required: true } as const;
  const fields = needs.columns.map((name): Field => ({ name, ...required }));
  const layout = detectCsv(bytes, { fields, index: headerIndex(fields) }, needs.settings);
  if (layout !== null && "refusal" in layout) return refusedBecause(layout.refusal);
  if (layout === null || layout.map.columns.length === 0) {
    return refusedBecause(`none of the columns that \`map\` reads is there: ${needs.columns.slice(0, 20).join(", ")}`);
  }
  const read = rowsOf(bytes, layout, needs);
  if ("refusal" in read) return read;
  const found = needs.groupBy === undefined ? all(read.rows, false) : grouped(read.rows, needs.groupBy);
  return "refusal" in found ? found : { ...found, notes: read.notes };
}

function rowsOf(
  bytes: Uint8Array,
  layout: CsvLayout,
  { settings, groupBy }: TableNeeds,
): { rows: SourceRecord[]; notes: FileNotes } | Extract<SourceRecords, { refusal: unknown }> {
  const problems = new ProblemList();
  const source = asciiCompatible(asBuffer(bytes), layout.encoding, layout.markLength);
  const cells = new CsvRows({ ...source, delimiter: layout.delimiter });
  const headers = layout.map.all.map(({ header }) => header.trim());
  const wanted = whereColumns([layout.profile?.where, settings.where], headers);
  for (const column of wanted.missing) problems.add("files.header.where", { row: layout.headerRow, column });
  for (const header of layout.map.repeated)
    problems.add("files.header.twice", { row: layout.headerRow, column: header });
  const mapped = layout.map.columns.filter(({ header }) => header !== "");
  const keyIndex = groupBy === undefined ? -1 : headers.indexOf(groupBy);
  const filter = new RowFilter(wanted.conditions, keyIndex < 0 ? undefined : keyIndex);
  const rows: SourceRecord[] = [];
  while (cells.next()) {
    if (cells.row <= layout.headerRow || cells.isBlank()) continue;
    const verdict = filter.judge(cells);
    if (verdict === "unclear") {
      problems.add("files.row.where-unclear", { row: cells.row, column: filter.unclearColumn });
    }
    if (verdict !== "taken") continue;
    const value: Row = {};
    for (const column of mapped) reportTrace(cells, column, problems);
    for (let index = 0; index < cells.cellCount; index++) {
      const header = headers[index] ?? "";
      const text = withoutQuoting(cells.trimmed(index));
      if (header !== "" && header !== "__proto__") value[header] ??= text;
      else if (header === "" && text !== "" && index >= headers.length) {
        problems.add("files.row.cells", { row: cells.row }, { found: cells.cellCount, expected: headers.length });
        break;
      }
    }
    rows.push({ row: cells.row, value });
  }
  if (cells.defect !== null) {
    problems.add(`files.row.${cells.defect}`, { row: cells.row, column: headers[cells.defectCell] ?? "" });
  }
  const notes = { leftOut: filter.leftOut, unusedColumns: [], dateByConvention: null };
  return problems.count === 0 ? { rows, notes } : { refusal: problems.sorted(), count: problems.count };
}

/** What is a value to nobody is refused before a mapping makes one of it. */
function reportTrace(cells: CsvRows, { index, header }: Column, problems: ProblemList): void {
  const text = cells.trimmed(index);
  if (text === "" || quotedFormula.test(text)) return;
  const trace = traceInText(text) ?? (scientific.test(text) ? "files.cell.scientific" : null);
  if (trace !== null) problems.add(trace, { row: cells.row, column: header, value: text });
  else if (isTotal(text) && cells.hasBlank()) {
    problems.add("files.cell.total", { row: cells.row, column: header, value: text });
  }
}

const withoutQuoting = (text: string) => (text.startsWith("=") ? (quotedFormula.exec(text)?.[1] ?? text) : text);

function grouped(rows: readonly SourceRecord[], key: string): SourceRecords {
  const groups = new Map<string, { row: number; value: Record<string, unknown>; rows: unknown[] }>();
  let latest: string | undefined;
  for (const { row, value } of rows) {
    // Rows of a table, which this function alone is given.
    const cells = value as Row;
    const given = Object.hasOwn(cells, key) ? cells[key] : undefined;
    if (given === undefined) return refusedBecause(`there is no column ${JSON.stringify(key)} to group by`);
    // Many programs write the number of an order on its first row only.
    const name: string | undefined = given === "" ? latest : given;
    if (name === undefined) return refusedBecause(`row ${row}: the column ${JSON.stringify(key)} is empty`);
    latest = name;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { row, value: { ...cells }, rows: [cells] });
    else group.rows.push(cells);
  }
  return all(
    [...groups.values()].map((group) => ({ row: group.row, value: { ...group.value, rows: group.rows } })),
    false,
  );
}
