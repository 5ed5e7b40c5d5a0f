import { WorkOrderStatus } from "../../contract/enums.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { ok } from "../../operation/outcome.ts";
import { isCalledOff } from "../changes/group/group-totals.ts";
import { askedAtWall, remainingOf, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderState } from "../order-store.ts";
import { orderStatusRow } from "../store-rows.ts";
import { openContainerTable } from "./container-table.ts";
import { type EventHandler, type EventNeeds, releaseAbandoned, shortPickOpen } from "./event-handler.ts";

/** The state of the order for each reported status. Other statuses are recorded without effect. */
const states: Partial<Record<number, OrderState>> = {
  [WorkOrderStatus.Paused]: "started",
  [WorkOrderStatus.Assigned]: "started",
  [WorkOrderStatus.Completed]: "finished",
  [WorkOrderStatus.CompletedWithCancelations]: "finished",
  [WorkOrderStatus.Empty]: "finished",
  [WorkOrderStatus.Canceled]: "cancelled",
};

/** Reads the latest status the platform has reported for an order; undefined when it has reported none. */
function openReportedStates(database: Database) {
  const latest = database.query(
    "SELECT status FROM order_status WHERE order_number = ? ORDER BY id DESC LIMIT 1",
    pick(orderStatusRow, "status"),
  );
  const statusOf = (number: string) => latest.get(number)?.status;
  return {
    statusOf,
    stateOf: (number: string): OrderState | undefined => {
      const status = statusOf(number);
      return status === undefined ? undefined : states[status];
    },
  };
}

export function changeStatus(needs: EventNeeds & { readonly database: Database }): EventHandler<"changeStatus"> {
  const { database, orders, ledger, changes } = needs;
  const reported = openReportedStates(database);
  const insert = database.statement(
    "INSERT INTO order_status (order_number, status, entry_id, changed_at) VALUES (?, ?, ?, ?)",
  );
  return ({ number, status }, entry) => {
    // The same status again is no transition, and it must not undo what other events reported since.
    if (reported.statusOf(number) === status && !isWorkedSince(number, status)) return ok(null);
    insert.run(number, status, entry.id, entry.receivedAt);
    if (status === WorkOrderStatus.Abandoned) releaseAbandoned(needs, number, entry);
    const state = states[status];
    if (state === undefined) return ok(null);
    // The platform has every order it reports a status of: the order must not be listed again.
    orders.recordWork(number);
    if (state !== "started") end(number, state);
    changes.settle(number, entry);
    return ok(null);
  };

  /**
   * Whether the floor has resumed an order that the same status had ended. Without this check, an order abandoned twice
   * would never be listed again.
   */
  function isWorkedSince(number: string, status: number): boolean {
    const ledgerLines = ledger.ledgerLinesOf(number);
    if (status === WorkOrderStatus.Abandoned) {
      const isBegun = orders.find(number)?.worked ?? ledgerLines.length > 0;
      return isBegun && ledgerLines.every((ledgerLine) => takenOf(ledgerLine) === 0);
    }
    const state = states[status];
    return state !== undefined && state !== "started" && ledgerLines.some((ledgerLine) => remainingOf(ledgerLine) > 0);
  }

  /** The platform no longer works on the order: what is still open and wanted counts as short-picked. */
  function end(number: string, state: OrderState): void {
    // Booked now: read after the end, what the platform showed before would count as open again.
    changes.bookLastModel(number);
    const ledgerLines = ledger.linesOf(number);
    const isWall =
      ledgerLines.some((ledgerLine) => takenOf(ledgerLine) > 0) && ledgerLines.every(({ steps }) => steps === 0);
    // A put wall is done with everything it may have had, including lines of which nothing was wanted.
    shortPickOpen(needs, number, isWall ? ledgerLines.map(askedAtWall) : ledgerLines);
    const group = changes.read(number);
    orders.setState(number, group !== undefined && isCalledOff(group) ? "cancelled" : state);
  }
}

/**
 * The state of an order that the floor worked on before it was stored: it may have reached the platform by another way.
 */
export function workedBefore(needs: { readonly database: Database; readonly ledger: Ledger }) {
  const reported = openReportedStates(needs.database);
  const containers = openContainerTable(needs.database);
  return (number: string): OrderState | undefined => {
    const state = reported.stateOf(number);
    if (state !== undefined) return state;
    const isWorked = needs.ledger.ledgerLinesOf(number).length > 0 || containers.containerOf(number) !== null;
    return isWorked ? "started" : undefined;
  };
}
