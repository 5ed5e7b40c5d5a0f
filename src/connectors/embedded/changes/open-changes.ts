import type { PushedCancellation } from "../../../contract/pushes.ts";
import type { UpdateWorkOrderRequest } from "../../../contract/schemas/update-work-order.ts";
import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore, StoredOrder } from "../order-store.ts";
import type { Change } from "./change.ts";
import { openChangeTable } from "./change-table.ts";
import { fileCancellation } from "./file-change.ts";
import { openFollowUps } from "./follow-ups.ts";
import { type Offer, offerChanges } from "./offer-changes.ts";
import { renewOrder, reviseOrder, takeBackChanges } from "./revise-order.ts";
import { settleDoneLines, settleOrder } from "./settle-done.ts";
import { settleSilent } from "./settle-silent.ts";

/** Changes pushed while an order waits or is being picked. */
export interface Changes {
  /** A pushed cancellation or reduction. */
  readonly file: (cancellation: PushedCancellation, entry: ResidentEntry) => void;
  /** An order pushed for the first time, after changes of it perhaps: they came before what is wanted now. */
  readonly takeBack: (workOrder: WorkOrder, entry: ResidentEntry) => void;
  /**
   * An order pushed again. Where nobody has begun it, this only keeps the changes straight: the new content is the
   * caller's to store.
   */
  readonly revise: (stored: StoredOrder, revised: WorkOrder, entry: ResidentEntry) => void;
  /** What a confirm step is to be answered, given the model it brought. */
  readonly offer: (
    orderNumber: string,
    model: UpdateWorkOrderRequest | null | undefined,
    entry: ResidentEntry,
  ) => Offer;
  /** After a cancellation or put-wall amount was booked, or the last step of an order. */
  readonly settleDoneLines: (orderNumber: string, entry: ResidentEntry) => void;
  /** After the platform reported that the order ended. */
  readonly settleOrder: (orderNumber: string, entry: ResidentEntry) => void;
  /** Settles what was last offered before that time and no step came after; returns the numbers of its orders. */
  readonly settleSilent: (beforeMs: number, entry: ResidentEntry) => readonly string[];
  /** Changes the platform may not have seen yet, oldest first. */
  readonly pendingFor: (orderNumber: string) => readonly Change[];
  /** Whether a change may have been filed or settled since this was last asked. */
  readonly takeChanged: () => boolean;
}

export function openChanges(given: {
  readonly database: Database;
  readonly orders: OrderStore;
  readonly ledger: Ledger;
}): Changes {
  const { database, orders, ledger } = given;
  const table = openChangeTable(database);
  const followUps = openFollowUps({ database, orders });
  const needs = { ledger, table, orders, followUps };
  return {
    file: (cancellation, entry) => {
      fileCancellation(needs, cancellation, entry);
      // A scan warns of an order cancelled while it is being picked, and the order itself stays as it is.
      orders.touch();
    },
    takeBack: (workOrder, entry) => takeBackChanges(needs, workOrder, entry),
    revise: (stored, revised, entry) => {
      (stored.worked ? reviseOrder : renewOrder)(needs, stored, revised, entry);
      orders.touch();
    },
    offer: (orderNumber, model, entry) => offerChanges(needs, orderNumber, model, entry),
    settleDoneLines: (orderNumber, entry) => settleDoneLines(needs, orderNumber, entry),
    settleOrder: (orderNumber, entry) => settleOrder(needs, orderNumber, entry),
    settleSilent: (beforeMs, entry) => settleSilent(needs, beforeMs, entry),
    pendingFor: table.watched,
    takeChanged: table.takeChanged,
  };
}
