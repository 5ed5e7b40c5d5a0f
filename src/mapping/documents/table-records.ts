import { type CsvBytes, CsvRows } from "../../formats/csv/csv-rows.ts";
import { type CsvLayout, detectCsv, type Subject } from "../../formats/csv/detect-csv.ts";
import { type Column, type Field, headerIndex } from "../../formats/csv/map-columns.ts";
import { mostHeldRows } from "../../formats/csv/read-csv.ts";
import { rowFlawFinder } from "../../formats/csv/row-flaw.ts";
import { asBuffer, asciiCompatible } from "../../formats/encodings/encoding.ts";
import { quotedFormula, scientific, traceInText } from "../../formats/fields/spreadsheet-trace.ts";
import { isTotal } from "../../formats/fields/total-words.ts";
import { type FileNotes, ProblemList } from "../../formats/import/file-reading.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { RowFilter, whereColumns } from "../../formats/import/where.ts";
import type { ApartKeys } from "../../formats/stream/key-hashes.ts";
import { all, refusedBecause, type SourceRecord, type SourceRecords } from "./source-records.ts";

type Row = Record<string, string>;

export interface TableNeeds {
  /** Columns that the mapping reads: they identify delimiter, encoding and header row. */
  readonly columns: readonly string[];
  readonly groupBy: string | undefined;
  readonly settings: Pick<FileSettings, "profiles" | "encoding" | "where">;
}

/**
 * The rows of a CSV file as objects with the headings as names, for a mapping; or grouped by a key, with the rows in
 * `rows`.
 */
export function tableRecords(bytes: Uint8Array, needs: TableNeeds): SourceRecords {
  const layout = tableLayout(needs, (subject) => detectCsv(bytes, subject, needs.settings));
  if ("refusal" in layout) return layout;
  const open = () => asciiCompatible(asBuffer(bytes), layout.encoding, layout.markLength);
  const problems = new ProblemList();
  const found = tablePass({ ...needs, layout, open, problems });
  const records: SourceRecord[] = [];
  let step = found.next();
  for (; step.done !== true; step = found.next()) records.push(step.value);
  if ("refusal" in step.value) return step.value;
  return { ...all(records, false), notes: step.value.notes, columns: layout.map.all };
}

/** The layout of a file that has some of the mapped columns, or why there is none. */
export function tableLayout(
  { columns }: TableNeeds,
  detect: (subject: Subject) => ReturnType<typeof detectCsv>,
): CsvLayout | Refused {
  // Required: otherwise the search for the header row would stop at the first row.
  const required = { scope: "record", kind: "text", headers: {}, required: true } as const;
  const fields = columns.map((name): Field => ({ name, ...required }));
  const layout = detect({ fields, index: headerIndex(fields) });
  if (layout !== null && "refusal" in layout) return refusedBecause(layout.refusal);
  if (layout !== null && layout.map.columns.length > 0) return layout;
  const found = layout === null ? {} : { columns: layout.map.all };
  const because = refusedBecause(
    `the file has none of the columns that \`map\` reads: ${columns.slice(0, 20).join(", ")}`,
  );
  return { ...because, ...found };
}

type Refused = Extract<SourceRecords, { refusal: unknown }>;

interface TablePass extends TableNeeds {
  readonly layout: CsvLayout;
  readonly open: () => CsvBytes;
  readonly problems: ProblemList;
  /** Keys whose rows are not adjacent: every other record is released as soon as it is complete. */
  readonly apart?: ApartKeys | undefined;
}

/** One pass over the file: yields its records, then returns the notes or why the file is refused. */
export function* tablePass(needs: TablePass): Generator<SourceRecord, { notes: FileNotes } | Refused> {
  const { problems, groupBy, apart } = needs;
  const filter = { leftOut: 0 };
  const rows = tableRows(needs, filter);
  const flaw = groupBy === undefined ? yield* rows : yield* grouped(rows, groupBy, { apart, problems });
  const columns = needs.layout.map.all;
  if (flaw !== undefined) return { ...flaw, columns };
  if (problems.count > 0) return { refusal: problems.sorted(), count: problems.count, columns };
  return { notes: { leftOut: filter.leftOut, unusedColumns: [], dateByConvention: null } };
}

function* tableRows(
  { layout, settings, groupBy, open, problems }: TablePass,
  found: { leftOut: number },
): Generator<SourceRecord, undefined> {
  const cells = new CsvRows({ ...open(), delimiter: layout.delimiter });
  const headers = layout.map.all.map(({ header }) => header.trim());
  const wanted = whereColumns([layout.profile?.where, settings.where], headers);
  for (const column of wanted.missing) problems.add("files.header.where", { row: layout.headerRow, column });
  for (const header of layout.map.repeated)
    problems.add("files.header.twice", { row: layout.headerRow, column: header });
  const mapped = layout.map.columns.filter(({ header }) => header !== "");
  const keyIndex = groupBy === undefined ? -1 : headers.indexOf(groupBy);
  const filter = new RowFilter(wanted.conditions, keyIndex < 0 ? undefined : keyIndex);
  const flawOf = rowFlawFinder(layout.map, layout.delimiter);
  while (cells.next()) {
    if (cells.row <= layout.headerRow || cells.isBlank()) continue;
    const flaw = flawOf(cells);
    if (flaw !== null) {
      problems.add(flaw.key, { row: cells.row, ...("column" in flaw ? { column: flaw.column } : {}) });
      continue;
    }
    const verdict = filter.judge(cells);
    if (verdict === "unclear") {
      problems.add("files.row.where-unclear", { row: cells.row, column: filter.unclearColumn });
    }
    if (verdict !== "taken") continue;
    const value: Row = {};
    const quoted: string[] = [];
    for (const column of mapped) reportTrace(cells, column, problems);
    for (let index = 0; index < cells.cellCount; index++) {
      const header = headers[index] ?? "";
      const written = cells.trimmed(index);
      const text = withoutQuoting(written);
      if (text !== written) quoted.push(text);
      if (header !== "" && header !== "__proto__") value[header] ??= text;
      else if (header === "" && text !== "" && index >= headers.length) {
        problems.add("files.row.cells", { row: cells.row }, { found: cells.cellCount, expected: headers.length });
        break;
      }
    }
    yield { row: cells.row, value, ...(quoted.length === 0 ? {} : { quoted }) };
  }
  if (cells.defect !== null) {
    problems.add(`files.row.${cells.defect}`, { row: cells.row, column: headers[cells.defectCell] ?? "" });
  }
  found.leftOut = filter.leftOut;
  return undefined;
}

/** Reports spreadsheet artefacts, so that a mapping cannot use them as values. */
function reportTrace(cells: CsvRows, { index, header }: Column, problems: ProblemList): void {
  const text = cells.trimmed(index);
  if (text === "" || quotedFormula.test(text)) return;
  const trace = traceInText(text) ?? (scientific.test(text) ? "files.cell.scientific" : null);
  if (trace !== null) problems.add(trace, { row: cells.row, column: header, value: text });
  else if (isTotal(text) && cells.hasBlank()) {
    problems.add("files.cell.total", { row: cells.row, column: header, value: text });
  }
}

/**
 * Removes the quoting formula `="…"`. Also used for group keys: a key may be quoted in one row and plain in another.
 */
export const withoutQuoting = (text: string) => (text.startsWith("=") ? (quotedFormula.exec(text)?.[1] ?? text) : text);

interface Group {
  readonly row: number;
  readonly cells: Row;
  readonly rows: Row[];
  readonly quoted: string[];
}
const asRecord = ({ row, cells, rows, quoted }: Group): SourceRecord => ({
  ...{ row, value: { ...cells, rows } },
  ...(quoted.length === 0 ? {} : { quoted }),
});

function* grouped(
  rows: Iterable<SourceRecord>,
  key: string,
  { apart, problems }: Pick<TablePass, "apart" | "problems">,
): Generator<SourceRecord, Refused | undefined> {
  const groups = new Map<string, Group>();
  let latest: string | undefined;
  let heldRows = 0;
  for (const { row, value, quoted = [] } of rows) {
    // The rows of a table are the only input of this function.
    const cells = value as Row;
    const given = Object.hasOwn(cells, key) ? cells[key] : undefined;
    if (given === undefined) return refusedBecause(`there is no column ${JSON.stringify(key)} to group by`);
    // Many programs write the number of an order only on its first row.
    const name: string | undefined = given === "" ? latest : given;
    if (name === undefined) return refusedBecause(`row ${row}: the column ${JSON.stringify(key)} is empty`);
    const ended = latest === undefined || latest === name ? undefined : groups.get(latest);
    if (ended !== undefined && latest !== undefined && apart?.has(latest) === false) {
      groups.delete(latest);
      heldRows -= ended.rows.length;
      yield asRecord(ended);
    }
    latest = name;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { row, cells, rows: [cells], quoted: [...quoted] });
    else {
      group.rows.push(cells);
      group.quoted.push(...quoted);
    }
    heldRows++;
    if (apart !== undefined && heldRows > mostHeldRows) {
      problems.add("files.row.apart", { row }, { limit: mostHeldRows });
      return { refusal: problems.sorted(), count: problems.count };
    }
  }
  for (const group of groups.values()) yield asRecord(group);
  return undefined;
}
