import type { ResidentEntry } from "../../../journal/resident.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { Change, ChangeState, ChangeTarget } from "./change.ts";

export interface NewChange extends ChangeTarget {
  readonly orderNumber: string;
  readonly target: number;
  readonly reason: string | null;
  readonly state: ChangeState;
  readonly watched: boolean;
  /** The external system is told at once, although the platform is watched still. */
  readonly isTold?: boolean;
  readonly picked: number | null;
}

export interface ChangeTable {
  /** Changes of an order that a confirm step may still have to bring to the platform, oldest first. */
  readonly watched: (orderNumber: string) => readonly Change[];
  /** Every change of an order that says what is wanted of it now, over and above its content. */
  readonly standing: (orderNumber: string) => readonly Change[];
  /**
   * Whether lines were taken out of the order before anybody began it, and never shown since: the platform may have
   * them all the same, and no account tells.
   */
  readonly hasUnseen: (orderNumber: string) => boolean;
  readonly add: (change: NewChange, entry: ResidentEntry) => void;
  readonly supersede: (change: Change, entry: ResidentEntry) => void;
  readonly countOffer: (change: Change, step: number, entry: ResidentEntry) => void;
  /** Changes that were last offered before that time, and nothing is known of since; the oldest few. */
  readonly offeredBefore: (beforeMs: number) => readonly Change[];
  /** Writes the receipt. One that is still watched may be written again. */
  readonly settle: (change: Change, receipt: Receipt, entry: ResidentEntry) => void;
  /** Whether anything was written since this was last asked. */
  readonly takeChanged: () => boolean;
}

interface Receipt {
  readonly state: ChangeState;
  readonly step: number;
  readonly picked: number;
  readonly watched: boolean;
  /** Nothing that is to be expected can change it any more: the external system is told, once. */
  readonly final: boolean;
}

const columns = `id, entry_id AS entryId, order_number AS orderNumber, external_id AS externalId,
  item_number AS itemNumber, lot, target, reason, state, watched, offered, first_offered_step AS firstOfferedStep,
  settled_step AS settledStep, picked`;

/** With more orders than this under change, every event asks the table. */
const maxRemembered = 50_000;
/** Many at once must not hold up the entry they are settled with; the rest comes with the next. */
const maxSilent = 50;

export function openChangeTable(database: Database): ChangeTable {
  const watched = database.statement(
    `SELECT ${columns} FROM change WHERE order_number = ? AND watched = 1 ORDER BY id`,
  );
  // What was removed at once is in the order's content already, or was taken back by a newer one. What was met when it
  // was filed, and so has no picked amount, repeats another and must not outlive it.
  const standing = database.statement(
    `SELECT ${columns} FROM change
     WHERE order_number = ? AND state <> 'superseded' AND NOT (state = 'removed' AND watched = 0)
       AND NOT (state = 'applied' AND watched = 0 AND picked IS NULL) ORDER BY id`,
  );
  const unseen = database.statement(
    `SELECT EXISTS (SELECT 1 FROM change c WHERE order_number = ? AND state = 'removed' AND receipt = 'none'
       AND item_number IS NOT NULL AND NOT EXISTS (SELECT 1 FROM quantity q WHERE q.order_number = c.order_number
         AND (q.external_id = c.external_id OR q.item_number = c.item_number))) AS unseen`,
  );
  const insert = database.statement(
    `INSERT INTO change (entry_id, order_number, external_id, item_number, lot, target, reason, state, watched, picked,
      filed_at, settled_at, receipt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // What was removed at once stays that: the external system may have been told so already. Whoever has not been told
  // anything is told nothing: the newer change has a receipt of its own.
  const supersede = database.statement(
    `UPDATE change SET watched = 0, settled_at = ?, settled_entry_id = ?,
      receipt = CASE receipt WHEN 'open' THEN 'none' ELSE receipt END,
      state = CASE state WHEN 'pending' THEN 'superseded' ELSE state END WHERE id = ?`,
  );
  // Whatever receipt it had is void: the platform still has the old line.
  const countOffer = database.statement(
    `UPDATE change SET state = 'pending', offered = offered + 1, offered_at = ?,
       first_offered_step = coalesce(first_offered_step, ?) WHERE id = ?`,
  );
  // The condition of the index word for word: otherwise SQLite would not use it.
  const offeredBefore = database.statement(
    `SELECT ${columns} FROM change WHERE watched = 1 AND state = 'pending' AND offered_at IS NOT NULL AND offered_at <= ?
     ORDER BY offered_at LIMIT ${maxSilent}`,
  );
  const settle = database.statement(
    `UPDATE change SET state = ?, settled_step = ?, picked = ?, watched = ?, settled_at = ?, settled_entry_id = ?,
      receipt = CASE WHEN receipt = 'open' AND ? THEN 'due' ELSE receipt END WHERE id = ?`,
  );
  // Most orders are never changed, and every event asks. Only ever added to: after a rollback it may name orders that
  // have none, which costs a look, but it never lacks one.
  const maybeWatched = new Set(
    database
      .statement("SELECT DISTINCT order_number AS orderNumber FROM change WHERE watched = 1")
      .all<{ orderNumber: string }>()
      .map(({ orderNumber }) => orderNumber),
  );
  const mayBeWatched = (orderNumber: string) => maybeWatched.size > maxRemembered || maybeWatched.has(orderNumber);
  // Told once too often after a rollback, which costs a look as well.
  let changed = true;

  return {
    watched: (orderNumber) => (mayBeWatched(orderNumber) ? watched.all<Change>(orderNumber) : []),
    standing: (orderNumber) => standing.all<Change>(orderNumber),
    hasUnseen: (orderNumber) => unseen.get<{ unseen: number }>(orderNumber)?.unseen === 1,
    add: (change, entry) => {
      changed = true;
      if (change.watched && maybeWatched.size <= maxRemembered) maybeWatched.add(change.orderNumber);
      insert.run(
        entry.id,
        change.orderNumber,
        change.externalId,
        change.itemNumber,
        change.lot,
        change.target,
        change.reason,
        change.state,
        change.watched ? 1 : 0,
        change.picked,
        entry.receivedAt,
        change.state === "pending" ? null : entry.receivedAt,
        change.watched && change.isTold !== true ? "open" : "due",
      );
    },
    supersede: (change, entry) => {
      changed = true;
      supersede.run(entry.receivedAt, entry.id, change.id);
    },
    countOffer: (change, step, entry) => {
      countOffer.run(entry.receivedAt, step, change.id);
    },
    offeredBefore: (beforeMs) => offeredBefore.all<Change>(beforeMs),
    settle: (change, { state, step, picked, watched: still, final }, entry) => {
      changed = true;
      settle.run(state, step, picked, still ? 1 : 0, entry.receivedAt, entry.id, final ? 1 : 0, change.id);
    },
    takeChanged: () => {
      const was = changed;
      changed = false;
      return was;
    },
  };
}
