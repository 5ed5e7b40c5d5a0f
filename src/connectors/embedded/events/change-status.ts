import { WorkOrderStatus } from "../../../contract/enums.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { ok } from "../../../sdk/outcome.ts";
import type { OrderState } from "../order-store.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";
import { endOf } from "./finish-order.ts";
import { letGo } from "./let-go.ts";

/** What a reported status means for the order here; the others are recorded and mean nothing. */
const states: Partial<Record<WorkOrderStatus, OrderState>> = {
  [WorkOrderStatus.Paused]: "started",
  [WorkOrderStatus.Assigned]: "started",
  [WorkOrderStatus.Completed]: "finished",
  [WorkOrderStatus.CompletedWithCancelations]: "finished",
  [WorkOrderStatus.Empty]: "finished",
  [WorkOrderStatus.Canceled]: "cancelled",
};

export function changeStatus(needs: EventNeeds & { readonly database: Database }): EventHandler<"changeStatus"> {
  const { database, orders, changes } = needs;
  const latest = database.statement("SELECT status FROM order_status WHERE order_number = ? ORDER BY id DESC LIMIT 1");
  const insert = database.statement(
    "INSERT INTO order_status (order_number, status, entry_id, changed_at) VALUES (?, ?, ?, ?)",
  );
  return ({ number, status }, entry) => {
    // The same again is no transition; and it must not undo what other events have told since.
    if (latest.get<{ status: number }>(number)?.status === status) return ok(null);
    insert.run(number, status, entry.id, entry.receivedAt);

    if (status === WorkOrderStatus.Abandoned) letGo(needs, number, entry);
    const state = states[status];
    if (state === undefined) return ok(null);
    // Whatever the platform reports a status of, it has: the order is not to be listed again.
    orders.sign(number);
    if (state === "started") return ok(null);
    orders.setState(number, state === "finished" ? endOf(needs, number) : state);
    changes.settleOrder(number, entry);
    return ok(null);
  };
}
