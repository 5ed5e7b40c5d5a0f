import { changeHistory, doubtfulOrders, explainOrder, stepAmounts } from "../connectors/embedded/order-books.ts";
import type { OrderBooks } from "../engine/overview/order-books.ts";
import type { Database } from "../kit/sqlite.ts";

/** What the books of this database know of an order. With a connector of one's own there are no books in it. */
export function orderBooksIn(database: Database): OrderBooks {
  const hasBooks = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'step_amounts'").get() !== undefined;
  if (!hasBooks)
    return {
      changesOf: () => [],
      amountsOf: () => new Map(),
      explain: () => null,
      doubtful: () => ({ count: 0, orders: [] }),
    };
  return {
    changesOf: changeHistory(database),
    amountsOf: stepAmounts(database),
    explain: explainOrder(database),
    doubtful: doubtfulOrders(database),
  };
}
