import { FileType } from "../../contract/enums.ts";
import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import { type CsvLayout, detectCsv, type Subject } from "../../formats/csv/detect-csv.ts";
import { type ColumnMap, type Field, headerIndex, withLimits } from "../../formats/csv/map-columns.ts";
import { type RecordBuilder, readCsv } from "../../formats/csv/read-csv.ts";
import type { CellReader } from "../../formats/fields/cell-reader.ts";
import { orderFields } from "../../formats/fields/order-fields.ts";
import { type FileReading, type FileRefusal, ProblemList } from "../../formats/import/file-reading.ts";
import type { FileSettings } from "../../formats/import/file-settings.ts";
import { readItemFile, readWorkOrderFile } from "../../formats/import/read-file.ts";
import { say } from "../../messages/message.ts";
import { refusedBecause, type SourceRecords } from "./source-records.ts";

/** Reads a CSV file by its headings, like an upload: the same detection, profiles and texts. */
export function csvRecords(bytes: Uint8Array, topic: PushTopic, settings: FileSettings): SourceRecords {
  const fields = flatFields[topic];
  if (fields !== undefined) {
    const reading = flatRecords(bytes, fields, settings);
    return "refusal" in reading ? reading : taken(reading, (record) => record);
  }
  const reading =
    topic === "items" ? readItemFile(bytes, FileType.Csv, settings) : readWorkOrderFile(bytes, FileType.Csv, settings);
  // The import engine joins rows to records without keeping the row numbers; its problems have them.
  return taken<unknown>(reading, (value, index) => ({ row: index + 1, value }));
}

function taken<Item>(
  reading: FileReading<Item>,
  record: (item: Item, index: number) => { row: number; value: unknown },
): SourceRecords {
  if (!reading.ok) return refusedReading(reading);
  return {
    records: reading.records.map(record),
    isReady: true,
    withheld: reading.withheld?.problems ?? [],
    withheldCount: reading.withheld?.problemCount ?? 0,
    ...(reading.notes === undefined ? {} : { notes: reading.notes }),
    columns: reading.detected.columns,
  };
}

/** Why a file was refused, in the same words for every kind of file. */
export function refusedReading(reading: FileRefusal): Extract<SourceRecords, { refusal: unknown }> {
  const columns = reading.detected?.columns ?? reading.columns;
  const refused =
    reading.problemCount === 0
      ? refusedBecause(reading.message)
      : { refusal: reading.problems, count: reading.problemCount };
  return columns === undefined ? refused : { ...refused, columns };
}

type Flat = { readonly row: number; readonly value: Record<string, unknown> };
type Refused = Extract<SourceRecords, { refusal: unknown }>;

/** One element per row, by known headings. */
function flatRecords(bytes: Uint8Array, fields: readonly Field[], settings: FileSettings): FileReading<Flat> | Refused {
  const layout = flatLayout(fields, (subject) => detectCsv(bytes, subject, settings));
  if ("refusal" in layout) return layout;
  return readCsv({ bytes, layout, settings, builder: flatBuilder, hasHeadRows: false });
}

/** The layout of a file with one element per row, or why there is none. */
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

/** Headings have the same meaning in order files, cancellation files and stock files. */
const wordsOf = (name: string): Field["headers"] => orderFields.find((field) => field.name === name)?.headers ?? {};
const field = (name: string, kind: Field["kind"], headers: Field["headers"], required = false): Field => ({
  ...{ name, scope: "record", kind, headers },
  ...(required ? { required: true } : {}),
});

function limited(topic: PushTopic, fields: readonly Field[]): readonly Field[] {
  return withLimits(fields, { record: pushRow(topic).element });
}

/** The columns of files with one element per row that the import engine does not know. */
export const flatFields: Readonly<Partial<Record<PushTopic, readonly Field[]>>> = {
  cancellations: limited("cancellations", [
    field("workOrderNumber", "identifier", wordsOf("number"), true),
    field("requestExternalIdentifier", "identifier", {
      en: ["line id", "line number", "position", "order line"],
      de: ["Position", "Positionsnummer", "Zeilennummer"],
    }),
    field("itemNumber", "identifier", wordsOf("itemNumber")),
    field("lotNumber", "identifier", wordsOf("lotNumber")),
    field("requestedAmount", "whole-number", {
      ...wordsOf("requestedAmount"),
      en: ["new quantity", "quantity", "amount", "qty"],
    }),
    field("reason", "text", {
      en: ["comment"],
      de: ["Grund", "Stornogrund"],
      fr: ["motif"],
      it: ["motivo"],
      es: ["motivo"],
      nl: ["reden"],
      pl: ["powód"],
    }),
  ]),
  stock: limited("stock", [
    field("itemNumber", "identifier", wordsOf("itemNumber"), true),
    field("locationName", "text", {
      en: ["location", "bin", "storage location", "warehouse location"],
      ...{ de: ["Lagerplatz", "Lagerort", "Platz"], fr: ["emplacement"], it: ["ubicazione"], es: ["ubicación"] },
      ...{ nl: ["locatie"], pl: ["lokalizacja"] },
    }),
    field("lotNumber", "identifier", wordsOf("lotNumber")),
    field(
      "amount",
      "number",
      {
        en: ["stock", "on hand", "quantity", "qty"],
        ...{ de: ["Bestand", "Menge", "Lagerbestand"], fr: ["stock", "quantité"], it: ["giacenza", "quantità"] },
        ...{ es: ["existencias", "cantidad"], nl: ["voorraad", "aantal"], pl: ["stan", "ilość"] },
      },
      true,
    ),
    field("asOf", "date", { en: ["as of", "counted at", "date"], de: ["Stand", "Datum"] }),
  ]),
  indexableValues: limited("indexableValues", [
    field("workOrderNumber", "identifier", wordsOf("number"), true),
    field(
      "value",
      "text",
      {
        en: ["index", "external value", "indexable value", "reference"],
        ...{ de: ["Wert", "Index", "Referenz"], fr: ["valeur", "référence"], it: ["valore", "riferimento"] },
        ...{ es: ["valor", "referencia"], nl: ["waarde", "referentie"], pl: ["wartość", "numer referencyjny"] },
      },
      true,
    ),
  ]),
};
