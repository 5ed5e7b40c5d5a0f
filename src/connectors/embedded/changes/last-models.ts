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
  const recent = recentValues<readonly KeptLine[]>(rememberedModels);
  return {
    keep: (orderNumber, lines) => {
      const known = recent.get(orderNumber);
      // Compared member by member: writing the lines as JSON at every step costs more than booking it.
      if (known?.length === lines.length && known.every((line, index) => isSameLine(line, lines[index]))) return;
      const kept = lines.map(keptLine);
      save.run(orderNumber, JSON.stringify(kept));
      recent.set(orderNumber, kept);
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

type KeptLine = ReturnType<typeof keptLine>;

/** What tells a line and its amount. The other members are returned to the platform and never read. */
const keptMembers = [
  ...(["requestId", "externalIdentifier", "itemNumber", "lotNumber", "itemUnitOfMeasure"] as const),
  ...(["requestedAmount", "isCancelled"] as const),
];

/** Members that are absent stay absent. */
const keptLine = (line: UpdatedLine) => ({
  requestId: line.requestId,
  externalIdentifier: line.externalIdentifier,
  itemNumber: line.itemNumber,
  lotNumber: line.lotNumber,
  itemUnitOfMeasure: line.itemUnitOfMeasure,
  requestedAmount: line.requestedAmount,
  isCancelled: line.isCancelled,
});

const isSameLine = (kept: KeptLine, line: UpdatedLine | undefined): boolean =>
  line !== undefined && keptMembers.every((member) => kept[member] === line[member]);
