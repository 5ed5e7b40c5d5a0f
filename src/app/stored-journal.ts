import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JournalOverview, openJournalOverview } from "../engine/overview/open-overview.ts";
import { sqliteReader } from "../journal/sqlite/reader.ts";
import { openDatabase } from "../kit/sqlite.ts";
import { orderBooksIn } from "./order-books-in.ts";

export type { BulkResult } from "../engine/overview/bulk-act.ts";
export type { EntryDetail, EntryMention } from "../engine/overview/entry-detail.ts";
export type { EntryView } from "../engine/overview/entry-view.ts";
export type { ExchangeView } from "../engine/overview/exchange-view.ts";
export { explanationText } from "../engine/overview/explanation-text.ts";
export type { EntryPage } from "../engine/overview/open-overview.ts";
export type { OrderExplanation } from "../engine/overview/order-books.ts";
export type { Timeline } from "../engine/overview/timeline.ts";
export { timelineText } from "../engine/overview/timeline-text.ts";
export { readEntryQuery } from "../http/read-entry-query.ts";

/** The journal of a data folder, read without its adapter. */
export interface StoredJournal extends JournalOverview {
  readonly close: () => void;
}

/** Null where the folder has no journal. Read-only: the file may belong to an adapter that starts at this moment. */
export function openStoredJournal(dataFolder: string): StoredJournal | null {
  const file = join(dataFolder, "crossdock.db");
  if (!existsSync(file)) return null;
  const database = openDatabase(file, { readOnly: true });
  const reading = openJournalOverview({ read: sqliteReader(database), books: orderBooksIn(database) });
  return { ...reading, close: () => database.close() };
}
