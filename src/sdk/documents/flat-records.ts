import { say } from "../../messages/message.ts";
import type { CellReader } from "../records/cell-reader.ts";
import { type CsvLayout, detectCsv, type Subject } from "../records/detect-csv.ts";
import type { Field } from "../records/field.ts";
import type { FileReading } from "../records/file-reading.ts";
import type { FileSettings } from "../records/file-settings.ts";
import { type ColumnMap, headerIndex } from "../records/map-columns.ts";
import { ProblemList } from "../records/problem-list.ts";
import { type RecordBuilder, readCsv } from "../records/read-csv.ts";
import { refusedBecause, type SourceRecords } from "./source-records.ts";

type Flat = { readonly row: number; readonly value: Record<string, unknown> };
type Refused = Extract<SourceRecords, { refusal: unknown }>;

/** One element per row, by known headings. */
export function flatRecords(
  bytes: Uint8Array,
  fields: readonly Field[],
  settings: FileSettings,
): FileReading<Flat> | Refused {
  const layout = flatLayout(fields, (subject) => detectCsv(bytes, subject, settings));
  if ("refusal" in layout) return layout;
  return readCsv({ bytes, layout, settings, builder: flatBuilder, hasHeadRows: false });
}

/** The layout of such a file, or why there is none. */
export function flatLayout(
  fields: readonly Field[],
  detect: (subject: Subject) => ReturnType<typeof detectCsv>,
): CsvLayout | Refused {
  const layout = detect({ fields, index: headerIndex(fields) });
  if (layout === null) return refusedBecause(say("files.empty"));
  if ("refusal" in layout) return refusedBecause(layout.refusal);
  const problems = new ProblemList();
  const { headerRow: row, map } = layout;
  for (const { name } of map.missing) problems.add("files.header.missing", { row, column: name });
  for (const header of map.repeated) problems.add("files.header.twice", { row, column: header });
  return problems.count === 0 ? layout : { refusal: problems.sorted(), count: problems.count, columns: map.all };
}

export function flatBuilder(cells: CellReader, map: ColumnMap): RecordBuilder<Flat> {
  let records: Flat[] = [];
  let badCount = 0;
  return {
    addRow: () => {
      const value: Record<string, unknown> = {};
      let isBad = false;
      for (const column of map.columns) {
        const cell = cells.read(column);
        if (cell === null) isBad = true;
        else if (cell !== undefined) value[column.field.name] = cell;
        else if (column.field.required) {
          cells.refuse(column, "files.cell.filled");
          isBad = true;
        }
      }
      if (isBad) badCount++;
      else records.push({ row: cells.rows.row, value });
    },
    spoilRow: () => {
      badCount++;
    },
    heldRows: 0,
    takeEnded: () => {
      const ended = records;
      records = [];
      return ended;
    },
    finish: () => ({ records, badCount }),
  };
}
