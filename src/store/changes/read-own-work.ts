import type { RequestLine } from "../../contract/schemas/work-order.ts";
import type { Database } from "../../kit/sqlite/sqlite.ts";
import { roundAmount } from "../ledger/ledger-line.ts";
import { type LineNames, lineKey, namesOf } from "../ledger/line-ref.ts";
import { pickedOf } from "./group/line-facts.ts";
import { changedOrdersIn } from "./read-changed-order.ts";

/** What the floor has picked of an order, including its follow-up orders. */
export interface OwnWork {
  /** The order and its follow-up orders. */
  readonly orders: readonly string[];
  readonly lines: readonly OwnLine[];
}

export interface OwnLine extends LineNames {
  /** In the line's own unit; null if that is not certain. */
  readonly picked: number | null;
  /** The line as the order has it; undefined if the order is not stored here. */
  readonly request: RequestLine | undefined;
}

/** Reads what was picked of an order, on a read-only connection; null if nothing was. */
export function ownWorkIn(database: Database): (orderNumber: string) => OwnWork | null {
  const isStored = database.statement("SELECT 1 FROM sqlite_schema WHERE name = 'quantity'").get() !== undefined;
  if (!isStored) return () => null;
  const changed = changedOrdersIn(database);
  return (orderNumber) => {
    const group = changed.explain(orderNumber);
    const requests = group?.members[0]?.order?.workOrder.requests ?? [];
    const lines = (group?.lines ?? []).flatMap((line) => {
      const { externalId, itemNumber, lot, factor } = line;
      const picked = pickedOf(line.ledgerLines.flat());
      if (picked === 0) return [];
      const request = requests.find((one) => lineKey(namesOf(one)) === lineKey({ externalId, itemNumber, lot }));
      return [{ externalId, itemNumber, lot, picked: factor === null ? null : roundAmount(picked), request }];
    });
    const orders = (group?.members ?? []).map(({ number }) => number);
    return lines.length === 0 ? null : { orders, lines };
  };
}
