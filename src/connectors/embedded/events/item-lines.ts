import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import type { EventNeeds } from "./event-handler.ts";

/** The accounts of one item of an order; one is opened where the order is not known to have any. */
export function itemLines({ ledger, changes }: EventNeeds, orderNumber: string, itemNumber: string): LedgerLine[] {
  const own = ledger.itemLinesOf(orderNumber, itemNumber);
  if (own.length > 0) return own;
  // A follow-up order may get goods that only the order it follows has a line for.
  const known = changes
    .read(orderNumber)
    ?.carriers.flatMap(({ served }) => served.flat())
    .find((line) => line.itemNumber === itemNumber);
  const sight = {
    ...{ requestId: null, externalId: known?.externalId ?? null, itemNumber, lot: known?.lot ?? null },
    ...{ unit: known?.unit ?? UnitOfMeasure.Piece, requested: null },
  };
  return [ledger.line(orderNumber, sight)];
}
