import { WorkOrderStatus } from "../../contract/enums.ts";
import { pick } from "../../kit/sqlite/row.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { ok } from "../../operation/outcome.ts";
import { isCalledOff } from "../changes/family.ts";
import { askedAtWall, remainingOf, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderState } from "../order-store.ts";
import { orderStatusRow } from "../store-rows.ts";
import { openContainerTable } from "./container-table.ts";
import { cutRest, type EventHandler, type EventNeeds, letGo } from "./event-handler.ts";

/** What a reported status means for the order here; the others are recorded and mean nothing. */
const states: Partial<Record<number, OrderState>> = {
  [WorkOrderStatus.Paused]: "started",
  [WorkOrderStatus.Assigned]: "started",
  [WorkOrderStatus.Completed]: "finished",
  [WorkOrderStatus.CompletedWithCancelations]: "finished",
  [WorkOrderStatus.Empty]: "finished",
  [WorkOrderStatus.Canceled]: "cancelled",
};

/** The state of an order by the latest status the platform has reported; undefined where it has reported none. */
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
    // The same again is no transition; and it must not undo what other events have told since.
    if (reported.statusOf(number) === status && !isWorkedSince(number, status)) return ok(null);
    insert.run(number, status, entry.id, entry.receivedAt);
    if (status === WorkOrderStatus.Abandoned) letGo(needs, number, entry);
    const state = states[status];
    if (state === undefined) return ok(null);
    // Whatever the platform reports a status of, it has: the order is not to be listed again.
    orders.sign(number);
    if (state !== "started") end(number, state);
    changes.settle(number, entry);
    return ok(null);
  };

  /**
   * Whether the floor has begun again what the same status had ended: given back twice, an order would never be listed
   * again if the second time counted for nothing.
   */
  function isWorkedSince(number: string, status: number): boolean {
    const accounts = ledger.accountsOf(number);
    if (status === WorkOrderStatus.Abandoned) {
      const isBegun = orders.find(number)?.worked ?? accounts.length > 0;
      return isBegun && accounts.every((account) => takenOf(account) === 0);
    }
    const state = states[status];
    return state !== undefined && state !== "started" && accounts.some((account) => remainingOf(account) > 0);
  }

  /** The platform works on it no more: what is open of it was cut short, as far as anybody wanted it. */
  function end(number: string, state: OrderState): void {
    // Looked at after the end, what the platform showed before it would count as open again.
    changes.takeShown(number);
    const accounts = ledger.linesOf(number);
    const isWall = accounts.some((account) => takenOf(account) > 0) && accounts.every(({ steps }) => steps === 0);
    // A put wall is done with all that it may have had, also of lines that nothing was wanted of.
    cutRest(needs, number, isWall ? accounts.map(askedAtWall) : accounts);
    const family = changes.read(number);
    orders.setState(number, family !== undefined && isCalledOff(family) ? "cancelled" : state);
  }
}

/** What the floor has made of an order that was not in the store: it may have reached the platform by another way. */
export function workedBefore(needs: { readonly database: Database; readonly ledger: Ledger }) {
  const reported = openReportedStates(needs.database);
  const containers = openContainerTable(needs.database);
  return (number: string): OrderState | undefined => {
    const state = reported.stateOf(number);
    if (state !== undefined) return state;
    const isWorked = needs.ledger.accountsOf(number).length > 0 || containers.containerOf(number) !== null;
    return isWorked ? "started" : undefined;
  };
}
