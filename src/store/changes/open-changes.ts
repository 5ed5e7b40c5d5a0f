import type { PushedCancellation } from "../../contract/pushes.ts";
import type { UpdateWorkOrderRequest } from "../../contract/schemas/confirm-step.ts";
import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { lineKey } from "../ledger/line-ref.ts";
import { largestLines } from "../ledger/new-ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore } from "../order-store.ts";
import type { ChangeNeeds } from "./filing/change-needs.ts";
import { openChangeTable } from "./filing/change-table.ts";
import { bookLastModel, fileCancellation, filePush, keepFirstPush } from "./filing/file-change.ts";
import { rememberJudged } from "./filing/judged-groups.ts";
import { settleByTime, settleGroup } from "./filing/settle-group.ts";
import { rememberGroups } from "./group/remember-groups.ts";
import { shortPickedIn, total } from "./line-amounts.ts";
import { type AnnouncedExcess, openAnnouncedExcess } from "./offers/announced-excess.ts";
import { applyModel, type Offer } from "./offers/apply-model.ts";
import type { BookedStep } from "./offers/count-indistinguishable.ts";
import { openLastModels, openStepAmounts } from "./offers/step-amounts.ts";
import { memberIndex, type OrderGroup } from "./order-group.ts";
import { openChangedOrders, openFollowUps, rememberFollowUps } from "./read-changed-order.ts";
import type { WantedTable } from "./wanted-table.ts";

/** Changes pushed while an order waits, while it is being picked, or afterwards. */
export interface Changes {
  /** Stores a pushed cancellation or reduction. */
  readonly file: (cancellation: PushedCancellation, entry: ProjectionEntry) => void;
  /** Stores an order that was pushed again, or one that the floor worked on before its first push. */
  readonly push: (workOrder: WorkOrder, entry: ProjectionEntry, how?: { readonly isFirst: boolean }) => void;
  /** Books the model of a confirm step and returns what to answer. */
  readonly offer: (
    orderNumber: string,
    model: UpdateWorkOrderRequest | null | undefined,
    entry: ProjectionEntry,
    step: BookedStep,
  ) => Offer;
  /**
   * Called before the floor gives up part of an order: from then on its content is what is left, so the first push is
   * stored.
   */
  readonly keepFirstPush: (orderNumber: string) => void;
  /** Called before an order ends: books the last model shown while the order had no change. */
  readonly bookLastModel: (orderNumber: string) => void;
  /**
   * Called before the ledger lines of an abandoned order are removed. What was short-picked of its lines is stored with
   * what is wanted, and the model the platform showed is dropped.
   */
  readonly prepareRelease: (orderNumber: string) => void;
  /**
   * Called after anything was booked for the order: updates its content, its follow-up orders, its end and its
   * receipts.
   */
  readonly settle: (orderNumber: string, entry: ProjectionEntry) => void;
  /** The order with every amount decided; undefined when it has no change. */
  readonly read: (orderNumber: string) => OrderGroup | undefined;
  /** Like read, but also for an order without a change once its first push is stored. */
  readonly readKept: (orderNumber: string) => OrderGroup | undefined;
  /** Like read, but for any order known here. */
  readonly explain: (orderNumber: string) => OrderGroup | undefined;
  /** What operators were told to put aside. */
  readonly announcedExcess: AnnouncedExcess;
  /** Settles changes and offers for which no event came within the time limits. */
  readonly settleByTime: (limits: { untouchedBefore: number; silentBefore: number }, entry: ProjectionEntry) => void;
  /** Whether a receipt may have become due since the last call. */
  readonly drainChanged: () => boolean;
  /** Called before the first placement at a put wall: the wall may hold any content served, and will never show it. */
  readonly beginAtPutWall: (orderNumber: string) => void;
  /** Clears what is kept in memory; called after a rollback. */
  readonly forget: () => void;
}

export function openChanges(given: {
  readonly database: Database;
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly wanted: WantedTable;
}): Changes {
  const { database, orders, ledger, wanted } = given;
  const table = openChangeTable(database);
  const models = openLastModels(database);
  const steps = openStepAmounts(database);
  const announcedExcess = openAnnouncedExcess(database);
  const followUps = rememberFollowUps(openFollowUps({ database, orders }));
  const groups = rememberGroups();
  const judged = rememberJudged();
  const changed = openChangedOrders({
    ...{ orders, wanted, followUps, ledgerLinesOf: ledger.ledgerLinesOf },
    remembered: groups.groupOf,
  });
  const needs: ChangeNeeds = {
    orders,
    ledger,
    wanted,
    table,
    followUps,
    changed,
    steps,
    models,
    judged,
  };

  return {
    file: (cancellation, entry) => fileCancellation(needs, cancellation, entry),
    push: (workOrder, entry, how) => filePush(needs, workOrder, entry, how),
    offer: (orderNumber, model, entry, step) => applyModel(needs, orderNumber, model, entry, step),
    keepFirstPush: (orderNumber) => {
      if (orders.stateOf(orderNumber) === undefined) return;
      keepFirstPush(needs, changed.rootOf(orderNumber));
      // The platform had fetched this model before. Read later, it would be compared with the new content.
      bookLastModel(needs, orderNumber);
    },
    bookLastModel: (orderNumber) => bookLastModel(needs, orderNumber),
    prepareRelease: (orderNumber) => {
      keepShortPicked(needs, orderNumber);
      models.drain(orderNumber);
    },
    settle: (orderNumber, entry) => settleGroup(needs, orderNumber, entry),
    read: changed.read,
    readKept: changed.readKept,
    explain: changed.explain,
    announcedExcess: {
      of: announcedExcess.of,
      keep: (orderNumber, itemNumber, amount) => {
        announcedExcess.keep(orderNumber, itemNumber, amount);
        // A scan tells only what nobody was told yet: cached answers are outdated now.
        orders.markCachesOutdated();
      },
    },
    settleByTime: (limits, entry) => settleByTime(needs, limits, entry),
    drainChanged: table.drainChanged,
    beginAtPutWall: (orderNumber) => beginAtPutWall(needs, orderNumber),
    forget: () => {
      models.forget();
      steps.forget();
      followUps.forget();
      groups.forget();
      judged.forget();
      table.forget();
    },
  };
}

/**
 * A put wall shows no amounts. Lines of an earlier content that the present one lacks may still be in the wall's order.
 * They get ledger lines with nothing requested, so that what was served of them counts.
 */
function beginAtPutWall({ ledger, changed }: ChangeNeeds, orderNumber: string): void {
  const group = changed.read(orderNumber);
  const member = group?.members.find(({ number }) => number === orderNumber);
  if (member === undefined || member.ledgerLines.length > 0) return;
  const known = new Set(ledger.linesOf(orderNumber).map(lineKey));
  const gone = largestLines(member.served).filter((line) => !known.has(lineKey(line)));
  for (const line of gone) ledger.addUnasked(orderNumber, line);
}

/** Stores short-picked amounts in the line's own unit, because the next fetch may show another unit. */
function keepShortPicked({ changed, wanted }: ChangeNeeds, orderNumber: string): void {
  const group = changed.readKept(orderNumber);
  const kept = group === undefined ? undefined : wanted.find(group.root);
  if (group === undefined || kept === undefined) return;
  const index = memberIndex(group, orderNumber);
  const shortPickedByKey = new Map(group.lines.map((line) => [line.key, shortPickedIn(line, index)]));
  if ([...shortPickedByKey.values()].every((shortPicked) => shortPicked === 0)) return;
  const lines = kept.wanted.lines.map((line) => {
    const shortPicked = total([line.shortPicked ?? 0, shortPickedByKey.get(lineKey(line)) ?? 0]);
    return shortPicked === 0 ? line : { ...line, shortPicked };
  });
  wanted.save(group.root, { ...kept.wanted, lines });
}
