import type { WorkOrder } from "../../contract/schemas/work-order.ts";
import { recentValues } from "../../kit/recent-values.ts";
import type { OrderStore, StoredOrder } from "../order-store.ts";
import { contentWeight } from "./content-weight.ts";

/** Lines of parsed orders that are kept: enough for the orders being changed, and for a very long order. */
const rememberedLines = 40_000;

/**
 * Keeps the content of recent orders in memory: each event of a changed order reads it several times, and reading and
 * parsing ten thousand lines takes a tenth of a second. Only for the connection that writes the orders.
 */
export function rememberOrders(orders: OrderStore): OrderStore {
  const recent = recentValues<WorkOrder>(rememberedLines, contentWeight);

  const contentOf = (number: string): WorkOrder => {
    const known = recent.get(number);
    if (known !== undefined) return known;
    const workOrder = orders.find(number)?.workOrder;
    if (workOrder === undefined) throw new Error(`order ${number} was read and is not there`);
    recent.set(number, workOrder);
    return workOrder;
  };

  return {
    ...orders,
    find: (number): StoredOrder | undefined => {
      const head = orders.headOf(number);
      if (head === undefined) return undefined;
      let content = recent.get(number);
      return {
        ...head,
        get workOrder() {
          content ??= contentOf(number);
          return content;
        },
      };
    },
    insert: (workOrder, receivedAt) => {
      orders.insert(workOrder, receivedAt);
      recent.delete(workOrder.number);
    },
    replace: (number, workOrder) => {
      orders.replace(number, workOrder);
      // Kept as it is: the next event of the order reads it, and the text is made of it.
      recent.set(number, workOrder);
    },
    forget: () => {
      orders.forget();
      recent.clear();
    },
  };
}
