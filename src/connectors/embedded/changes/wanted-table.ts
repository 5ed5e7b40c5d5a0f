import type { RequestLine, WorkOrder } from "../../../contract/schemas/work-order.ts";
import type { Database } from "../../../kit/sqlite.ts";
import { type LineNames, namesOf, type ServedLine, sameLine } from "../ledger/line-sight.ts";
import { isPicked, type Wanted } from "./wanted.ts";

/** The lines of one content that the platform may have fetched. */
export type ServedContent = readonly ServedLine[];

/** What is kept of an order from its first change on. Most orders are never changed and have none of this. */
export interface ChangedOrder {
  readonly wanted: Wanted;
  /** Contents the order had before its present one, oldest first: the platform may have fetched any of them. */
  readonly served: readonly ServedContent[];
}

export interface WantedTable {
  /** Whether an order may be under change. Asked by every event, so it reads no table. */
  readonly has: (orderNumber: string) => boolean;
  readonly find: (orderNumber: string) => ChangedOrder | undefined;
  readonly save: (orderNumber: string, changed: ChangedOrder) => void;
  /** This line in contents that the order had before its present one. */
  readonly servedBefore: (orderNumber: string, line: LineNames) => readonly ServedLine[];
}

/** With more orders than this under change, every event asks the table. */
const maxRemembered = 50_000;
/** An order changed more often than this keeps its first content and the latest ones. */
const maxServed = 64;

export const servedContent = (requests: readonly RequestLine[]): ServedContent =>
  requests.filter(isPicked).map((line) => ({
    ...namesOf(line),
    unit: line.unitOfMeasure ?? 0,
    amount: line.requestedAmount,
  }));

/** Adds a content that is about to be replaced. The same as the latest is no other content. */
export function withServed(served: readonly ServedContent[], replaced: WorkOrder): readonly ServedContent[] {
  const content = servedContent(replaced.requests);
  if (JSON.stringify(served.at(-1)) === JSON.stringify(content)) return served;
  const [first, ...others] = [...served, content];
  return first === undefined ? [] : [first, ...others.slice(-(maxServed - 1))];
}

/** Looks up what is kept of a changed order; on any connection. */
export function readWanted(database: Database): (orderNumber: string) => ChangedOrder | undefined {
  const select = database.statement("SELECT wanted, served FROM wanted WHERE order_number = ?");
  return (orderNumber) => {
    const row = select.get<{ wanted: string; served: string }>(orderNumber);
    // Both texts were written below.
    return row && { wanted: JSON.parse(row.wanted) as Wanted, served: JSON.parse(row.served) as ServedContent[] };
  };
}

export function openWantedTable(database: Database): WantedTable {
  const read = readWanted(database);
  const exists = database.statement("SELECT EXISTS (SELECT 1 FROM wanted WHERE order_number = ?) AS found");
  const save = database.statement(
    `INSERT INTO wanted (order_number, wanted, served) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET wanted = excluded.wanted, served = excluded.served`,
  );
  // Only ever added to: after a rollback it may name an order that is not under change, which costs a look, but it never
  // lacks one.
  const remembered = new Set(
    database
      .statement(`SELECT order_number AS orderNumber FROM wanted LIMIT ${maxRemembered + 1}`)
      .all<{ orderNumber: string }>()
      .map(({ orderNumber }) => orderNumber),
  );
  const has = (orderNumber: string): boolean =>
    remembered.size > maxRemembered
      ? exists.get<{ found: number }>(orderNumber)?.found === 1
      : remembered.has(orderNumber);
  const find = (orderNumber: string) => (has(orderNumber) ? read(orderNumber) : undefined);
  return {
    has,
    find,
    servedBefore: (orderNumber, line) =>
      (find(orderNumber)?.served ?? []).flatMap((content) => content.filter((served) => sameLine(served, line))),
    save: (orderNumber, { wanted, served }) => {
      if (remembered.size <= maxRemembered) remembered.add(orderNumber);
      save.run(orderNumber, JSON.stringify(wanted), JSON.stringify(served));
    },
  };
}
