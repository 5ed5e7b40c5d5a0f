import type { Emission, ProjectionEntry } from "../../../journal/inline-projection.ts";
import type { Database } from "../../../kit/sqlite/sqlite.ts";
import { orderLane } from "../../../operation/lane.ts";
import { type Change, changeColumns, readChangeRow } from "./change-table.ts";

/** What became of a change, for the external system. Exactly one per change that no newer one took the place of. */
export interface ChangeReceipt {
  readonly changeId: string;
  /** The id that was given for the push it came with; one push may bring several changes. */
  readonly pushId: string;
  readonly workOrderNumber: string;
  readonly requestExternalIdentifier?: string;
  readonly itemNumber?: string;
  /** Of a line that was pushed with a lot: without an external id, nothing else may tell it from other lines of the item. */
  readonly lotNumber?: string;
  readonly receipt: "removed" | "applied" | "partly" | "too-late";
  /** How many steps of the order had been confirmed by then. */
  readonly atStep?: number;
  readonly pickedAmount?: number;
  /** What was still wanted; 0 was a cancellation. */
  readonly requestedAmount: number;
  readonly reason?: string;
}

const receiptTopic = "changeReceipt";

// A backlog of old ones must not hold up the entry they go out with; the rest goes with the next.
const maxPerEntry = 50;
const queryEveryMs = 1_000;

export interface Receipts {
  /** The receipts that are due once this entry was applied; each is given once, within its transaction. */
  readonly take: (entry: ProjectionEntry) => readonly Emission[];
  /** After a rollback: what was given may not have been, and is asked for again at once. */
  readonly forget: () => void;
}

/**
 * Only what is final is told, because the external system books by it. A change to an order nobody has begun is in time,
 * and yet not for good: the platform may have fetched the order before, and then pick what was cancelled. So it waits for
 * a sign of the platform, and where none comes within the given time, for that.
 */
export function openReceipts(needs: {
  readonly database: Database;
  /** Whether a receipt may have become due since this was last asked. */
  readonly takeChanged: () => boolean;
  /** Settles what silence has settled by then; asked before the receipts are looked for. */
  readonly settleByTime: (entry: ProjectionEntry) => void;
}): Receipts {
  const { database, takeChanged, settleByTime } = needs;
  const select = database.query(
    `SELECT ${changeColumns} FROM change WHERE receipt = 'due' ORDER BY id LIMIT ${maxPerEntry}`,
    readChangeRow,
  );
  const markSent = database.statement("UPDATE change SET receipt = 'sent' WHERE id = ?");
  // What falls due by time alone may wait a moment: asking with every event would be the most frequent question of all.
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    take: (entry) => {
      const { receivedAt } = entry;
      if (!takeChanged() && Math.abs(receivedAt - askedAt) < queryEveryMs) return [];
      askedAt = receivedAt;
      settleByTime(entry);
      const due = select.all();
      // More than were looked for may be due: the next entry asks again.
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
