import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Database } from "../../../kit/sqlite.ts";
import type { OrderStore } from "../order-store.ts";
import { isPicked } from "./wanted.ts";

export interface FollowUps {
  /** The order whose follow-up this is; null for any other order. */
  readonly rootOf: (number: string) => string | null;
  /** The orders that hold what was added to this one, oldest first. */
  readonly of: (orderNumber: string) => readonly string[];
  /** A number for the next one, taken by no other order, and from now on belonging to this one. */
  readonly add: (orderNumber: string) => string;
}

/** A running order gets nothing added: what comes on top waits as an order of its own. */
export function openFollowUps({ database, orders }: { database: Database; orders: OrderStore }): FollowUps {
  const select = database.statement("SELECT number FROM follow_up WHERE order_number = ? ORDER BY id");
  const root = database.statement("SELECT order_number AS root FROM follow_up WHERE number = ?");
  const insert = database.statement("INSERT INTO follow_up (order_number, number) VALUES (?, ?)");
  const of = (orderNumber: string) => select.all<{ number: string }>(orderNumber).map(({ number }) => number);
  return {
    rootOf: (number) => root.get<{ root: string }>(number)?.root ?? null,
    of,
    add: (orderNumber) => {
      for (let position = of(orderNumber).length + 1; ; position++) {
        const number = `${orderNumber}-F${position}`;
        if (orders.isKnown(number)) continue;
        insert.run(orderNumber, number);
        return number;
      }
    },
  };
}

/** The content of a follow-up order: the lines that were added, with the header data of the order they were added to. */
export function followUpContent(number: string, root: string, content: WorkOrder): WorkOrder {
  const described = content.description ? `: ${content.description}` : "";
  return {
    ...content,
    number,
    description: `Follows ${root}${described}`,
    requests: content.requests.filter(isPicked),
  };
}
