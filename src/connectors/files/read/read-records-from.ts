import type { PushTopic } from "../../../contract/pushes.ts";
import type { FileSettings } from "../../../formats/import/file-settings.ts";
import { csvRecords } from "../../../mapping/documents/csv-records.ts";
import {
  jsonRecords,
  recordsWhere,
  type SourceRecords,
  xmlRecords,
} from "../../../mapping/documents/source-records.ts";
import { tableRecords } from "../../../mapping/documents/table-records.ts";
import type { FileFormat } from "../options.ts";

/** How the bytes of a file become records. Plain data, because it is sent to another thread. */
export interface SourceSpec {
  readonly format: FileFormat;
  readonly topic: PushTopic;
  /** Path of the records in JSON and XML. */
  readonly path: string | undefined;
  readonly settings: FileSettings;
  /** Columns that the mapping reads; undefined without a mapping. */
  readonly columns: readonly string[] | undefined;
  readonly groupBy: string | undefined;
}

export function readSource(bytes: Uint8Array, spec: SourceSpec): SourceRecords {
  const { format, topic, path, settings, columns, groupBy } = spec;
  if (format === "json") {
    const { encoding, badRecords } = settings;
    const needs = { listName: topic, path, encoding, badRecords, isMapped: columns !== undefined };
    return recordsWhere(jsonRecords(bytes, needs), settings.where);
  }
  if (format === "xml") return recordsWhere(xmlRecords(bytes, path), settings.where);
  if (columns === undefined) return csvRecords(bytes, topic, settings);
  return tableRecords(bytes, { columns, groupBy, settings });
}
