import type { UpdatedLine } from "../../../contract/schemas/update-work-order.ts";
import { recentValues } from "../../../kit/recent-values.ts";
import type { Database } from "../../../kit/sqlite.ts";

/**
 * The latest model of each order that is not under change. It costs one write per order and none per step, as long as the
 * platform shows the same; should the order change, what the platform has is known at once.
 */
export interface LastModels {
  readonly keep: (orderNumber: string, lines: readonly UpdatedLine[]) => void;
  /** Once the order is under change its accounts know more. */
  readonly take: (orderNumber: string) => readonly UpdatedLine[];
  /** After a rollback: what was kept last may not be stored. */
  readonly forget: () => void;
}

/** More orders than are ever picked at once. */
const rememberedModels = 10_000;

export function openLastModels(database: Database): LastModels {
  const save = database.statement(
    "INSERT INTO last_model (order_number, lines) VALUES (?, ?) ON CONFLICT DO UPDATE SET lines = excluded.lines",
  );
  const select = database.statement("SELECT lines FROM last_model WHERE order_number = ?");
  const remove = database.statement("DELETE FROM last_model WHERE order_number = ?");
  const recent = recentValues<string>(rememberedModels);
  return {
    keep: (orderNumber, lines) => {
      // Only what tells a line and its amount: the rest is echoed and never read.
      const text = JSON.stringify(lines.map(told));
      if (recent.get(orderNumber) === text) return;
      save.run(orderNumber, text);
      recent.set(orderNumber, text);
    },
    take: (orderNumber) => {
      const row = select.get<{ lines: string }>(orderNumber);
      if (row === undefined) return [];
      remove.run(orderNumber);
      recent.delete(orderNumber);
      // Written above.
      return JSON.parse(row.lines) as UpdatedLine[];
    },
    forget: recent.clear,
  };
}

/** Members that are absent stay absent. */
const told = (line: UpdatedLine) => ({
  requestId: line.requestId,
  externalIdentifier: line.externalIdentifier,
  itemNumber: line.itemNumber,
  lotNumber: line.lotNumber,
  itemUnitOfMeasure: line.itemUnitOfMeasure,
  requestedAmount: line.requestedAmount,
  isCancelled: line.isCancelled,
});
