import type { Problem } from "../../contract/validate/problem.ts";
import type { Journal, JournalReader } from "../../journal/journal.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Outbox, TargetOverview } from "../delivery/outbox.ts";
import { type Acted, actOnEntry, type Decision, otherLanesText } from "./entries/act-on-entry.ts";
import { type BulkRequest, type BulkResult, bulkAct } from "./entries/bulk-act.ts";
import { type CheckEdit, checkEdit } from "./entries/check-edit.ts";
import type { EntryQuery } from "./entries/entry-query.ts";
import type { EntryView, Privacy } from "./entries/entry-view.ts";
import { type ExportSettings, exported } from "./entries/export-entries.ts";
import { entryViews, type JournalOverview } from "./journal-overview.ts";
import { type FindLastKnown, pageWithLastKnown, withLastKnown } from "./orders/last-known-order.ts";

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
  /** All matching entries, newest first, in pieces. */
  readonly exported: (query: EntryQuery, settings: ExportSettings) => AsyncGenerator<Uint8Array>;
  readonly targets: () => { targets: readonly TargetOverview[]; entries: ReturnType<JournalReader["counts"]> };
  /** False if there is no such target. */
  readonly setPaused: (target: string, isPaused: boolean) => boolean;
}

export function openOverview({
  journal,
  outbox,
  views,
  clock,
  lastKnown,
  checkEdit: check = checkEdit,
}: {
  readonly journal: Journal;
  readonly outbox: Outbox;
  /** Reads the journal, perhaps in another thread. */
  readonly views: JournalOverview;
  readonly clock: Clock;
  readonly lastKnown?: FindLastKnown;
  readonly checkEdit?: CheckEdit;
}): Overview {
  const { read } = journal;
  const here = entryViews(read);
  // Asked after an action is stored. If the other thread has ended, an error would say that nothing was done.
  const after: Pick<JournalOverview, "view" | "lines"> = {
    view: (seq, privacy) => views.view(seq, privacy).catch(() => here.view(seq, privacy)),
    lines: (seqs, privacy) => views.lines(seqs, privacy).catch(() => here.lines(seqs, privacy)),
  };
  const needs = { journal, outbox, views: { ...views, ...after }, clock, checkEdit: check };
  const orders: Pick<JournalOverview, "orders" | "order"> =
    lastKnown === undefined
      ? views
      : {
          orders: async (query) => await pageWithLastKnown(await views.orders(query), query, lastKnown),
          order: async (number) => withLastKnown(await views.order(number), await lastKnown(number)),
        };
  return {
    ...{ ...views, orders: orders.orders, order: orders.order },
    act: async (seqOrId, decision, operator) => {
      // Only an edit is compared with the body.
      const entry = decision.action === "edit" ? await read.entryInTurns(seqOrId) : read.brief(seqOrId);
      if (entry === null) return null;
      const acted = await actOnEntry(needs, entry, decision, operator);
      if (!("done" in acted)) return acted;
      const done = await after.view(entry.seq, { showPersonal: false });
      // Retention deletes no entry that somebody has just acted on.
      if (done === null) throw new Error(`entry ${entry.seq} is gone`);
      return { done, releasedCount: acted.releasedCount };
    },
    checkEdit: async (seqOrId, body) => {
      const entry = await read.entryInTurns(seqOrId);
      if (entry === null) return null;
      const checked = await check(entry, body);
      return "otherLanes" in checked ? { notPossible: otherLanesText(checked.otherLanes) } : checked;
    },
    bulk: (request, privacy) => bulkAct(needs, request, privacy),
    exported: (query, settings) => exported(views, query, settings),
    targets: () => ({ targets: outbox.overview(), entries: read.counts() }),
    setPaused: (target, isPaused) => {
      if (!outbox.overview().some((known) => known.target === target)) return false;
      if (isPaused) outbox.pause(target);
      else outbox.resume(target);
      return true;
    },
  };
}
