import type { FileType } from "../../contract/enums.ts";
import type { Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { CsvRows } from "../csv/csv-rows.ts";
import { asBuffer, asciiCompatible } from "../encodings/encoding.ts";
import { itemFields } from "../fields/item-fields.ts";
import { orderFields } from "../fields/order-fields.ts";
import type { Detected, FileNotes, FileProblem } from "./file-reading.ts";
import type { FileSettings } from "./file-settings.ts";
import { readItemFile, readWorkOrderFile } from "./read-file.ts";

export type FileSubjectName = "workOrders" | "items";

/** The reading of a file, for a person to check: nothing is imported. */
export interface FilePreview {
  readonly ok: boolean;
  /** Why the file is refused. */
  readonly message: string | null;
  readonly detected: Detected | null;
  readonly recordCount: number;
  /** The first records. */
  readonly records: readonly object[];
  readonly problems: readonly PreviewProblem[];
  readonly problemCount: number;
  readonly notes: FileNotes | null;
  /** The cells of a CSV file, from its first row; null for a JSON file, or if there are too many to show. */
  readonly rows: readonly (readonly string[])[] | null;
}

export type PreviewProblem = Pick<FileProblem, "row" | "column" | "value"> & { readonly text: string };

const shownRecords = 100;
/** A person cannot correct more in a browser. */
const mostRows = 5_000;
const mostCells = 100_000;

export function previewFile(
  subject: FileSubjectName,
  bytes: Uint8Array,
  { fileType, settings, language }: { fileType: FileType; settings: FileSettings; language: Language },
): FilePreview {
  const reading =
    subject === "items" ? readItemFile(bytes, fileType, settings) : readWorkOrderFile(bytes, fileType, settings);
  const problems = reading.ok ? (reading.withheld?.problems ?? []) : reading.problems;
  const { detected } = reading;
  return {
    ok: reading.ok,
    message: reading.ok ? null : localise(reading.message, language),
    detected,
    recordCount: reading.ok ? reading.records.length : 0,
    records: reading.ok ? reading.records.slice(0, shownRecords) : [],
    problems: problems.map(({ row, column, value, text }) => ({ row, column, value, text: localise(text, language) })),
    problemCount: reading.ok ? (reading.withheld?.problemCount ?? 0) : reading.problemCount,
    notes: reading.ok ? (reading.notes ?? null) : null,
    rows: detected === null ? null : cellsOf(bytes, detected),
  };
}

function cellsOf(bytes: Uint8Array, { kind, encoding, delimiter }: Detected): string[][] | null {
  if (kind !== "csv" || delimiter === undefined) return null;
  const buffer = asBuffer(bytes);
  const rows = new CsvRows({ ...asciiCompatible(buffer, encoding, markLength(buffer)), delimiter });
  const cells: string[][] = [];
  let count = 0;
  while (rows.next()) {
    count += rows.cellCount;
    if (cells.length >= mostRows || count > mostCells) return null;
    cells.push(Array.from({ length: rows.cellCount }, (_, index) => rows.cell(index)));
  }
  return cells;
}

function markLength(bytes: Buffer): number {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 3;
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff) ? 2 : 0;
}

const templateFields: Readonly<Record<FileSubjectName, readonly string[]>> = {
  workOrders: [
    ...["number", "dueDate", "designatedStorageName", "itemNumber", "itemName"],
    ...["requestedAmount", "unitOfMeasure", "lotNumber", "designatedLocationName", "requestExternalIdentifier"],
  ],
  items: ["number", "name", "description", "unitOfMeasure", "minimumStockQuantity", "manufacturer"],
};

/** The header row of a file that can be read without settings, in the words of a language. */
export function fileTemplate(subject: FileSubjectName, language: Language): string {
  const known = subject === "items" ? itemFields : orderFields;
  const headers = templateFields[subject].flatMap((name) => {
    const field = known.find((one) => one.name === name);
    return field === undefined ? [] : [field.headers[language]?.[0] ?? field.headers.en?.[0] ?? field.name];
  });
  // With the mark, a spreadsheet program opens it as UTF-8 on every machine.
  return `\ufeff${headers.join(";")}\r\n`;
}
