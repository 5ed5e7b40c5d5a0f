import { FileType } from "../../contract/enums.ts";
import type { PushTopic } from "../../contract/pushes.ts";
import type { FileReading, FileRefusal } from "../records/file-reading.ts";
import type { FileSettings } from "../records/file-settings.ts";
import { readItemFile, readWorkOrderFile } from "../records/read-file.ts";
import { flatFields } from "./flat-fields.ts";
import { flatRecords } from "./flat-records.ts";
import { refusedBecause, type SourceRecords } from "./source-records.ts";

/** A CSV file by its headings, as uploads are read: the same detection, profiles and texts. */
export function csvRecords(bytes: Uint8Array, topic: PushTopic, settings: FileSettings): SourceRecords {
  const fields = flatFields[topic];
  if (fields !== undefined) {
    const reading = flatRecords(bytes, fields, settings);
    return "refusal" in reading ? reading : taken(reading, (record) => record);
  }
  const reading =
    topic === "items" ? readItemFile(bytes, FileType.Csv, settings) : readWorkOrderFile(bytes, FileType.Csv, settings);
  // The engine joins rows into records and does not say which; what it refuses it names by row itself.
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

/** Why a file was refused, as it is told for every kind of file. */
export function refusedReading(reading: FileRefusal): Extract<SourceRecords, { refusal: unknown }> {
  const columns = reading.detected?.columns ?? reading.columns;
  const refused =
    reading.problemCount === 0
      ? refusedBecause(reading.message)
      : { refusal: reading.problems, count: reading.problemCount };
  return columns === undefined ? refused : { ...refused, columns };
}
