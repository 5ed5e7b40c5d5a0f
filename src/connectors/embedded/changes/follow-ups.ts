import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { OrderStore, StoredOrder } from "../order-store.ts";

export interface FollowUps {
  /** The orders that hold what was added to this one, oldest first; those cancelled before anybody began left out. */
  readonly of: (orderNumber: string) => StoredOrder[];
  /** Makes a waiting order of the lines, with the header data of the order they were added to. */
  readonly add: (workOrder: WorkOrder, requests: RequestLine[], receivedAt: number) => void;
}

/** A running order gets nothing added: what comes on top waits as an order of its own. */
export function openFollowUps({ database, orders }: { database: Database; orders: OrderStore }): FollowUps {
  const select = database.statement("SELECT number FROM follow_up WHERE order_number = ? ORDER BY id");
  const insert = database.statement("INSERT INTO follow_up (order_number, number) VALUES (?, ?)");

  const freeNumber = (orderNumber: string): string => {
    for (let position = select.all(orderNumber).length + 1; ; position++) {
      const number = `${orderNumber}-F${position}`;
      if (!orders.isKnown(number)) return number;
    }
  };

  return {
    of: (orderNumber) =>
      select.all<{ number: string }>(orderNumber).flatMap(({ number }) => {
        const order = orders.find(number);
        // Of one that was begun, what was picked before counts: it must not be asked for again.
        return order === undefined || (order.state === "cancelled" && !order.worked) ? [] : [order];
      }),
    add: (workOrder, requests, receivedAt) => {
      const number = freeNumber(workOrder.number);
      const described = workOrder.description ? `: ${workOrder.description}` : "";
      orders.insert(
        { ...workOrder, number, description: `Follows ${workOrder.number}${described}`, requests },
        receivedAt,
      );
      insert.run(workOrder.number, number);
    },
  };
}
