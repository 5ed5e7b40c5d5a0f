import { join } from "node:path";
import { type JournalOverview, openJournalOverview } from "../engine/journal-view/journal-overview.ts";
import type { OrderRecords } from "../engine/journal-view/order-records.ts";
import { hasJournal } from "../journal/sqlite/migrations.ts";
import { sqliteReader } from "../journal/sqlite/tables/journal-reader.ts";
import { type Database, openDatabase } from "../kit/sqlite/sqlite.ts";
import { followUpsOf } from "../store/changes/read-changed-order.ts";
import { orderFinder } from "../store/order-finder.ts";
import { changeHistory, doubtfulOrders, explainOrder, stepAmounts } from "../store/read-order-history.ts";

export type { BulkResult } from "../engine/journal-view/entries/bulk-act.ts";
export type { EntryDetail, EntryMention, ExchangeView } from "../engine/journal-view/entries/entry-detail.ts";
export type { EntryView } from "../engine/journal-view/entries/entry-view.ts";
export type { EntryPage } from "../engine/journal-view/journal-overview.ts";
export type { OrderExplanation } from "../engine/journal-view/order-records.ts";
export { explanationText } from "../engine/journal-view/order-records.ts";
export type { Timeline } from "../engine/journal-view/timeline.ts";
export { timelineText } from "../engine/journal-view/timeline-text.ts";
export { readEntryQuery } from "../server/admin/read-decision.ts";

/** The journal of a data folder, read without a running adapter. */
export interface StoredJournal extends JournalOverview {
  readonly close: () => void;
}

/**
 * Opens the journal of a folder; null if it has none. Read-only, because an adapter may be starting on the file at this
 * moment.
 */
export function openStoredJournal(dataFolder: string): StoredJournal | null {
  const file = join(dataFolder, "crossdock.db");
  if (!hasJournal(file)) return null;
  const database = openDatabase(file, { readOnly: true });
  try {
    const reading = openJournalOverview({ read: sqliteReader(database), orderRecords: orderRecordsIn(database) });
    return { ...reading, close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Returns what the embedded store in this database knows about orders. With a connector given as code there is no such
 * store.
 */
export function orderRecordsIn(database: Database): OrderRecords {
  const hasAmounts = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'step_amounts'").get() !== undefined;
  if (!hasAmounts)
    return {
      orders: null,
      changesOf: () => [],
      amountsOf: () => new Map(),
      followUpsOf: () => [],
      explain: () => null,
      doubtful: () => ({ count: 0, orders: [] }),
    };
  // A folder of an earlier version is brought up to date when an adapter opens it. Until then the rest can be read.
  const isCurrent = database.statement("SELECT 1 FROM pragma_table_info('step_amounts') WHERE name = 'whole'").get();
  return {
    orders: orderFinder(database),
    changesOf: changeHistory(database),
    amountsOf: isCurrent === undefined ? () => new Map() : stepAmounts(database),
    followUpsOf: followUpsOf(database),
    explain: isCurrent === undefined ? () => null : explainOrder(database),
    doubtful: doubtfulOrders(database),
  };
}
