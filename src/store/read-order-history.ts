import { integer, pick, row, text } from "../kit/sqlite/row.ts";
import type { Database } from "../kit/sqlite/sqlite.ts";
import { tooMuchByItem } from "./changes/group/group-totals.ts";
import { baseFactor, pickedOf } from "./changes/group/line-facts.ts";
import { type LineAmounts, linesOfStep } from "./changes/offers/step-amounts.ts";
import type { GroupLine, OrderGroup } from "./changes/order-group.ts";
import { changedOrdersIn } from "./changes/read-changed-order.ts";
import { unitName } from "./order-finder.ts";
import { changeRow, stepAmountsRow } from "./store-rows.ts";

/** A change as the history of its order shows it. */
export interface ChangeHistory {
  readonly entryId: string;
  readonly externalId: string | null;
  readonly itemNumber: string | null;
  readonly lot: string | null;
  readonly target: number;
  readonly reason: string | null;
  readonly state: string;
  readonly offered: number;
  readonly settledStep: number | null;
  readonly settledEntryId: string | null;
  readonly picked: number | null;
  readonly filedAt: number;
  readonly settledAt: number | null;
}

const { entry_id: entryId, external_id: externalId, item_number: itemNumber, ...change } = changeRow.columns;
const historyRow = row({
  ...{
    entryId,
    externalId,
    itemNumber,
    lot: change.lot,
    target: change.target,
    reason: change.reason,
    state: change.state,
  },
  ...{ offered: change.offered, settledStep: change.settled_step, settledEntryId: change.settled_entry_id },
  ...{ picked: change.picked, filedAt: change.filed_at, settledAt: change.settled_at },
});
const stepRow = row({ id: integer, entryId: stepAmountsRow.columns.entry_id });
const amountsRow = pick(stepAmountsRow, "lines", "whole");

/** Reads every change ever made to an order, oldest first, on a read-only connection. */
export function changeHistory(database: Database): (orderNumber: string) => readonly ChangeHistory[] {
  const changes = database.query(
    `SELECT entry_id AS entryId, external_id AS externalId, item_number AS itemNumber, lot, target, reason, state, offered,
       settled_step AS settledStep, settled_entry_id AS settledEntryId, picked, filed_at AS filedAt,
       settled_at AS settledAt
     FROM change WHERE order_number = ? ORDER BY id`,
    historyRow,
  );
  return (orderNumber) => changes.all(orderNumber);
}

/** Reads the amounts of a changed order at each of its steps, by the entry id of the step and one step at a time. */
export function stepAmounts(
  database: Database,
): (orderNumber: string) => ReadonlyMap<string, () => readonly LineAmounts[]> {
  const steps = database.query(
    "SELECT id, entry_id AS entryId FROM step_amounts WHERE order_number = ? ORDER BY id",
    stepRow,
  );
  // From the latest step with all lines on. The oldest steps of an order are deleted, perhaps in the meantime.
  const amounts = database.query(
    `SELECT lines, whole FROM step_amounts WHERE order_number = ? AND id <= ? AND id >= (
      SELECT max(id) FROM step_amounts WHERE order_number = ? AND whole = 1 AND id <= ?) ORDER BY id`,
    amountsRow,
  );
  const linesOf = (order: string, id: number) => linesOfStep(amounts.all(order, id, order, id));
  return (orderNumber) =>
    new Map(steps.all(orderNumber).map(({ id, entryId }) => [entryId, () => linesOf(orderNumber, id)]));
}

/** Orders being picked that have a changed line whose unit is in doubt: the first few, and the total count. */
export function doubtfulOrders(
  database: Database,
): () => { readonly count: number; readonly orders: readonly string[] } {
  const count = database.query("SELECT count(*) AS count FROM wanted WHERE doubtful = 1", row({ count: integer }));
  const select = database.query(
    "SELECT order_number AS number FROM wanted WHERE doubtful = 1 LIMIT 5",
    row({ number: text }),
  );
  return () => ({
    count: count.get()?.count ?? 0,
    orders: select.all().map(({ number }) => number),
  });
}

/** What was decided about an order's lines, and from which facts. Amounts are in base units unless noted otherwise. */
export interface OrderExplanation {
  /** The original order; differs from the requested one when a follow-up order was asked for. */
  readonly order: string;
  readonly orders: readonly { readonly number: string; readonly state: string }[];
  readonly lines: readonly LineExplanation[];
}

export interface LineExplanation {
  readonly line: string;
  readonly itemNumber: string | null;
  /** In the line's own unit. */
  readonly wanted: number | null;
  readonly unit: string;
  /** Base units per unit of the line; null when it is in doubt. */
  readonly factor: number | null;
  /** What was short-picked since the latest change: it is not asked for again. */
  readonly cut: number;
  readonly picked: number;
  /** The excess of the item over all its lines, in their own unit; 0 when this line has no part in it. */
  readonly tooMuch: number;
  readonly orders: readonly {
    readonly number: string;
    readonly shown: number | null;
    readonly picked: number;
    readonly target: number | null;
  }[];
}

export function explainOrder(database: Database): (orderNumber: string) => OrderExplanation | null {
  const changed = changedOrdersIn(database);
  return (orderNumber) => {
    const group = changed.explain(orderNumber);
    return group === undefined ? null : explanationOf(group);
  };
}

function explanationOf(group: OrderGroup): OrderExplanation {
  const tooMuch = tooMuchByItem(group);
  return {
    order: group.root,
    orders: group.members.map((member) => ({
      number: member.number,
      state: member.order?.state ?? "not known here",
    })),
    lines: group.lines.map((line) => lineExplanation(group, line, tooMuch)),
  };
}

function lineExplanation(group: OrderGroup, line: GroupLine, tooMuch: ReadonlyMap<string, number>): LineExplanation {
  const { facts, decision, ledgerLines, factor, wanted } = line;
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  return {
    line: line.externalId ?? [line.itemNumber, line.lot].filter((name) => name !== null).join(" "),
    itemNumber: line.itemNumber,
    wanted,
    unit: unitName(line.unit),
    factor,
    cut: facts.shortPicked,
    picked: pickedOf(ledgerLines.flat()) * baseFactor(line),
    tooMuch: (decision?.excessAmount ?? 0) > 0 && line.itemNumber !== null ? (tooMuch.get(line.itemNumber) ?? 0) : 0,
    orders: facts.members.map(({ rows }, index) => ({
      number: group.members[index]?.number ?? "",
      shown:
        rows.length === 0 || rows.some(({ shown }) => shown === null) ? null : sum(rows.map(({ shown }) => shown ?? 0)),
      picked: sum(rows.map(({ picked }) => picked)),
      target: decision?.heldAmounts[index] ?? null,
    })),
  };
}
