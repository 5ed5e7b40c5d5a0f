import type { JournalReader } from "../../journal/journal.ts";
import { type BulkQuery, type Candidates, candidates } from "./entries/bulk-act.ts";
import { type EntryDetail, entryDetail } from "./entries/entry-detail.ts";
import type { EntryQuery } from "./entries/entry-query.ts";
import { type EntryView, entryViewInTurns, lastErrorOf, listed, type Privacy } from "./entries/entry-view.ts";
import { type ExportPage, type ExportSettings, exportPage, scanEntries } from "./entries/export-entries.ts";
import { type FailureGroups, failureGroups } from "./entries/failure-groups.ts";
import { explanationText, type OrderExplanation } from "./order-records.ts";
import type { OrderPage } from "./orders/order-view.ts";
import { findOrders, type OrderDetail, type OrderQuery, orderDetail } from "./orders/search-orders.ts";
import { orderTimeline, type Timeline, type TimelineNeeds } from "./timeline.ts";
import { timelineText } from "./timeline-text.ts";

export interface EntryPage {
  /** Newest first. */
  readonly entries: readonly EntryView[];
  /** Pass this as `before` for older entries; there may be more even if this page is short. */
  readonly nextBefore: number | null;
}

/**
 * Read access to the journal; needs only its file. Questions and answers are plain data, so that another thread can
 * answer.
 */
export interface JournalOverview {
  readonly find: (query: EntryQuery, page: { limit: number; before?: number } & Privacy) => Promise<EntryPage>;
  /** Finds an entry by its number or id. */
  readonly show: (seqOrId: number | string, privacy: Privacy) => Promise<EntryDetail | null>;
  /** One entry without its body; null if it is gone. */
  readonly view: (seq: number, privacy: Privacy) => Promise<EntryView | null>;
  /** Some entries as a list shows them. */
  readonly lines: (seqs: readonly number[], privacy: Privacy) => Promise<readonly EntryView[]>;
  readonly orders: (query: OrderQuery) => Promise<OrderPage>;
  /** Null if nothing is known of the order. */
  readonly order: (number: string) => Promise<OrderDetail | null>;
  /** The undelivered entries, grouped by cause. */
  readonly failures: (query: EntryQuery) => Promise<FailureGroups>;
  readonly timeline: (order: string, privacy: Privacy) => Promise<Timeline | null>;
  readonly timelineText: (order: string, how: Privacy & { readonly timeZone: string }) => Promise<string | null>;
  /** How the amounts of an order's lines were decided; null if the order is not known. */
  readonly explain: (order: string) => Promise<OrderExplanation | null>;
  readonly explanationText: (order: string) => Promise<string | null>;
  /** The entries that an action on many entries concerns. */
  readonly candidates: (query: BulkQuery) => Promise<Candidates>;
  readonly exportPage: (query: EntryQuery, settings: ExportSettings) => Promise<ExportPage>;
}

/**
 * A search with rare hits stops after this many entries and returns where to continue, so that every request is
 * bounded.
 */
const maxScanned = 20_000;

/** Entries by their numbers, read in this thread. Other work of it runs while a long entry is read. */
export function entryViews(read: Pick<JournalReader, "entryInTurns">): Pick<JournalOverview, "view" | "lines"> {
  return {
    view: async (seq, privacy) => {
      const entry = await read.entryInTurns(seq);
      return entry === null ? null : entryViewInTurns(entry, privacy);
    },
    lines: async (seqs, privacy) => {
      const views: EntryView[] = [];
      for (const seq of seqs) {
        const entry = await read.entryInTurns(seq);
        if (entry !== null) views.push(listed(await entryViewInTurns(entry, privacy), entry));
      }
      return views;
    },
  };
}

/** Answers in this thread. Other work of it runs meanwhile, but not while a single long entry is read. */
export function openJournalOverview({ read, orderRecords }: TimelineNeeds): JournalOverview {
  const timeline: JournalOverview["timeline"] = (order, privacy) =>
    orderTimeline({ read, orderRecords }, order, privacy);
  return {
    find: async (query, { limit, before, ...privacy }) => {
      const entries: EntryView[] = [];
      let from = before;
      let scanned = 0;
      for await (const { matches, scannedCount, nextBefore } of scanEntries(read, query, before)) {
        scanned += scannedCount;
        for (const match of matches) {
          if (entries.length === limit) return { entries, nextBefore: entries.at(-1)?.seq ?? null };
          entries.push(listed(await entryViewInTurns(match, privacy, lastErrorOf(read, match)), match));
        }
        if (nextBefore === null) return { entries, nextBefore: null };
        from = nextBefore;
        if (entries.length === limit || scanned >= maxScanned) break;
      }
      return { entries, nextBefore: from ?? null };
    },
    show: async (seqOrId, privacy) => {
      const entry = read.entry(seqOrId);
      return entry === null ? null : entryDetail(read, entry, privacy);
    },
    ...entryViews(read),
    orders: (query) => findOrders({ read, orderRecords }, query),
    order: async (number) => orderDetail({ read, orderRecords }, number),
    failures: (query) => failureGroups(read, query),
    timeline,
    timelineText: async (order, { timeZone, ...privacy }) => {
      const found = await timeline(order, privacy);
      return found === null ? null : timelineText(found, timeZone);
    },
    explain: async (order) => orderRecords.explain(order),
    explanationText: async (order) => {
      const found = orderRecords.explain(order);
      return found === null ? null : explanationText(found);
    },
    candidates: (query) => candidates(read, query),
    exportPage: (query, settings) => exportPage(read, query, settings),
  };
}
