import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { LedgerLine } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";

/** The accounts of one item of an order; one is opened where the order is not known to have any. */
export function itemLines(ledger: Ledger, orderNumber: string, itemNumber: string): LedgerLine[] {
  const own = ledger.itemLinesOf(orderNumber, itemNumber);
  if (own.length > 0) return own;
  const sight = {
    requestId: null,
    externalId: null,
    itemNumber,
    lot: null,
    unit: UnitOfMeasure.Piece,
    requested: null,
  };
  return [ledger.line(orderNumber, sight)];
}
