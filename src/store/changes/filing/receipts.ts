import type { ChangeReceipt, ReceiptTopic } from "../../../contract/change-receipt.ts";
import type { Emission, ProjectionEntry } from "../../../journal/inline-projection.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { orderLane } from "../../../operation/lane.ts";
import { type Change, changeColumns, readChangeRow } from "./change-table.ts";

// Written out: the module of the schema would load the schema library into the writer's thread.
const receiptTopic: ReceiptTopic = "changeReceipt";

// A backlog of old receipts must not delay the entry they go out with; the rest follows with the next entry.
const maxPerEntry = 50;
const queryEveryMs = 1_000;

export interface Receipts {
  /**
   * Returns the receipts that are due once this entry was applied. Each is returned once, within the entry's
   * transaction.
   */
  readonly drain: (entry: ProjectionEntry) => readonly Emission[];
  /** Called after a rollback: receipts that were returned may not be stored as sent, so the next call looks again. */
  readonly forget: () => void;
}

/**
 * The external system books by receipts, so only final outcomes are told. A change to an order nobody has begun is in
 * time but not final: the platform may have fetched the order before, and may still pick what was cancelled. Its
 * receipt waits for a sign from the platform, or for the given time without one.
 */
export function openReceipts(needs: {
  readonly database: Database;
  /** Whether a receipt may have become due since the last call. */
  readonly drainChanged: () => boolean;
  /** Settles the changes whose waiting time is over; called before the due receipts are read. */
  readonly settleByTime: (entry: ProjectionEntry) => void;
}): Receipts {
  const { database, drainChanged, settleByTime } = needs;
  const select = database.query(
    `SELECT ${changeColumns} FROM change WHERE receipt = 'due' ORDER BY id LIMIT ${maxPerEntry}`,
    readChangeRow,
  );
  const markSent = database.statement("UPDATE change SET receipt = 'sent' WHERE id = ?");
  // What falls due by time alone may wait a moment: asking with every event would be the most frequent query of all.
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    drain: (entry) => {
      const { receivedAt } = entry;
      if (!drainChanged() && Math.abs(receivedAt - askedAt) < queryEveryMs) return [];
      askedAt = receivedAt;
      settleByTime(entry);
      const due = select.all();
      // More receipts may be due than were read: the next entry asks again.
      if (due.length >= maxPerEntry) askedAt = Number.NEGATIVE_INFINITY;
      return due.map((change) => {
        markSent.run(change.id);
        return { topic: receiptTopic, lanes: [orderLane(change.orderNumber)], payload: receiptOf(change) };
      });
    },
    forget: () => {
      askedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function receiptOf(change: Change): ChangeReceipt {
  const { id, entryId, orderNumber, externalId, itemNumber, lot, target, reason, state, settledStep, picked } = change;
  if (state === "pending" || state === "superseded") throw new Error(`change ${id} is ${state} and has no receipt`);
  return {
    changeId: `${entryId}-${id}`,
    pushId: entryId,
    workOrderNumber: orderNumber,
    ...(externalId === null ? {} : { requestExternalIdentifier: externalId }),
    ...(itemNumber === null ? {} : { itemNumber }),
    ...(lot === null ? {} : { lotNumber: lot }),
    receipt: state,
    ...(settledStep === null ? {} : { atStep: settledStep }),
    ...(picked === null ? {} : { pickedAmount: picked }),
    requestedAmount: target,
    ...(reason === null ? {} : { reason }),
  };
}
