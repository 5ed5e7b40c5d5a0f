import type { Problem } from "../../contract/validate/validator.ts";
import type { Journal, JournalReader } from "../../journal/journal.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Outbox, TargetOverview } from "../delivery/outbox.ts";
import { type Acted, actOnEntry, type Decision, otherLanesText } from "./entries/act-on-entry.ts";
import { type BulkRequest, type BulkResult, bulkAct } from "./entries/bulk-act.ts";
import { type CheckEdit, checkEdit } from "./entries/check-edit.ts";
import { type EntryDetail, entryDetail } from "./entries/entry-detail.ts";
import type { EntryQuery } from "./entries/entry-query.ts";
import { type EntryView, entryViewInTurns, lastErrorOf, listed, type Privacy } from "./entries/entry-view.ts";
import { type ExportFormat, exportEntries, scanEntries } from "./entries/export-entries.ts";
import { type FailureGroups, failureGroups } from "./entries/failure-groups.ts";
import type { OrderExplanation, OrderRecords } from "./order-records.ts";
import { findOrders, type OrderDetail, type OrderQuery, orderDetail } from "./orders/find-orders.ts";
import type { OrderPage } from "./orders/order-view.ts";
import { orderTimeline, type Timeline, type TimelineNeeds } from "./timeline.ts";

export interface EntryPage {
  /** Newest first. */
  readonly entries: readonly EntryView[];
  /** Pass this as `before` for older entries; there may be more even if this page is short. */
  readonly nextBefore: number | null;
}

/** Read access to the journal; needs only its file. */
export interface JournalOverview {
  readonly find: (query: EntryQuery, page: { limit: number; before?: number } & Privacy) => Promise<EntryPage>;
  /** Finds an entry by its number or id. */
  readonly show: (seqOrId: number | string, privacy: Privacy) => Promise<EntryDetail | null>;
  readonly orders: (query: OrderQuery) => Promise<OrderPage>;
  /** Null if nothing is known of the order. */
  readonly order: (number: string) => OrderDetail | null;
  /** The undelivered entries, grouped by cause. */
  readonly failures: (query: EntryQuery) => Promise<FailureGroups>;
  readonly timeline: (order: string, privacy: Privacy) => Promise<Timeline | null>;
  /** How the amounts of an order's lines were decided; null if the order is not known. */
  readonly explain: (order: string) => Promise<OrderExplanation | null>;
}

/** What operators see of the journal and the outbox, and the actions they have. */
export interface Overview extends JournalOverview {
  readonly act: (
    seqOrId: number | string,
    decision: Decision,
    operator: string,
  ) => Promise<Exclude<Acted, { done: unknown }> | { done: EntryView; releasedCount: number } | null>;
  /** Whether a body could replace the body of an entry; null if there is no such entry. */
  readonly checkEdit: (
    seqOrId: number | string,
    body: string,
  ) => Promise<
    { readonly body: string } | { readonly problems: readonly Problem[] } | { readonly notPossible: string } | null
  >;
  readonly bulk: (request: BulkRequest, privacy: Privacy) => Promise<BulkResult>;
  readonly exported: (
    query: EntryQuery,
    how: Privacy & { format: ExportFormat; before?: number },
  ) => AsyncGenerator<string>;
  readonly targets: () => { targets: readonly TargetOverview[]; entries: ReturnType<JournalReader["counts"]> };
  /** False if there is no such target. */
  readonly setPaused: (target: string, isPaused: boolean) => boolean;
}

/**
 * A search with rare hits stops after this many entries and returns where to continue, so that every request is
 * bounded.
 */
const maxScanned = 20_000;

export function openJournalOverview({ read, orderRecords }: TimelineNeeds): JournalOverview {
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
    orders: (query) => findOrders({ read, orderRecords }, query),
    order: (number) => orderDetail({ read, orderRecords }, number),
    failures: (query) => failureGroups(read, query),
    timeline: (order, privacy) => orderTimeline({ read, orderRecords }, order, privacy),
    explain: async (order) => orderRecords.explain(order),
  };
}

export function openOverview({
  journal,
  outbox,
  orderRecords,
  clock,
  checkEdit: check = checkEdit,
}: {
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly orderRecords: OrderRecords;
  readonly clock: Clock;
  readonly checkEdit?: CheckEdit;
}): Overview {
  const { read } = journal;
  const needs = { journal, outbox, clock, checkEdit: check };
  return {
    ...openJournalOverview({ read, orderRecords }),
    act: async (seqOrId, decision, operator) => {
      const entry = read.entry(seqOrId);
      if (entry === null) return null;
      const acted = await actOnEntry(needs, entry, decision, operator);
      return "done" in acted ? { ...acted, done: await entryViewInTurns(acted.done, { showPersonal: false }) } : acted;
    },
    checkEdit: async (seqOrId, body) => {
      const entry = read.entry(seqOrId);
      if (entry === null) return null;
      const checked = await check(entry, body);
      return "otherLanes" in checked ? { notPossible: otherLanesText(checked.otherLanes) } : checked;
    },
    bulk: (request, privacy) => bulkAct(needs, request, privacy),
    exported: (query, how) => exportEntries(read, query, how),
    targets: () => ({ targets: outbox.overview(), entries: read.counts() }),
    setPaused: (target, isPaused) => {
      if (!outbox.overview().some((known) => known.target === target)) return false;
      if (isPaused) outbox.pause(target);
      else outbox.resume(target);
      return true;
    },
  };
}
