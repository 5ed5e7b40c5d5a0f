import type { JournalReader } from "../../journal/journal.ts";
import { csvHeader, csvLine } from "./csv-line.ts";
import { entryRecord } from "./entry-detail.ts";
import type { EntryQuery } from "./entry-query.ts";
import { entryView, type Privacy } from "./entry-view.ts";
import { scanEntries } from "./scan-entries.ts";

export type ExportFormat = "ndjson" | "csv";

/** Every matching entry, newest first: as NDJSON with body, attempts and audit, or as a table for a spreadsheet. */
export async function* exportEntries(
  read: JournalReader,
  query: EntryQuery,
  { format, before, ...privacy }: Privacy & { readonly format: ExportFormat; readonly before?: number },
): AsyncGenerator<string> {
  if (format === "csv") yield csvHeader;
  for await (const { matches } of scanEntries(read, query, before)) {
    if (matches.length === 0) continue;
    yield matches
      .map((entry) =>
        format === "csv"
          ? csvLine(entryView(entry, privacy))
          : `${JSON.stringify(entryRecord(read, entry, privacy))}\n`,
      )
      .join("");
  }
}
