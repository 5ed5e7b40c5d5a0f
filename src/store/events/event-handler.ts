import { UnitOfMeasure } from "../../contract/enums.ts";
import type { EventId, InputOf } from "../../contract/operations.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import type { Outcome } from "../../operation/outcome.ts";
import { isCalledOff } from "../changes/group/group-totals.ts";
import { openOf } from "../changes/open-amounts.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { Finishing } from "../finished/finishing.ts";
import { cancelOpen, type LedgerLine, remainingOf, shortPick, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore } from "../order-store.ts";

/** Applies one event, inside the transaction that stores it. */
export type EventHandler<Id extends EventId> = (input: InputOf<Id>, entry: ProjectionEntry) => Outcome<Id>;

export interface EventNeeds {
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly changes: Changes;
  /** Counts what goes into containers; undefined when nobody asks for finished containers. */
  readonly finishing?: Finishing | undefined;
}

/** Gives up what is open of these ledger lines. Only what was still wanted counts as short-picked. */
export function shortPickOpen(needs: EventNeeds, orderNumber: string, ledgerLines: readonly LedgerLine[]): void {
  const wanted = openWanted(needs, orderNumber);
  for (const ledgerLine of ledgerLines) needs.ledger.book(shortPick(ledgerLine, wanted(ledgerLine)));
}

/** Returns how much of a ledger line's open amount is still wanted, in the ledger line's unit. */
export function openWanted({ changes }: EventNeeds, orderNumber: string): (ledgerLine: LedgerLine) => number {
  const group = changes.readKept(orderNumber);
  return group === undefined ? remainingOf : openOf(group, orderNumber);
}

/** The ledger lines of one item of an order; opens one when there is none. */
export function itemLines({ ledger, changes }: EventNeeds, orderNumber: string, itemNumber: string): LedgerLine[] {
  const own = ledger.itemLinesOf(orderNumber, itemNumber);
  if (own.length > 0) return own;
  // A follow-up order may get goods for which only the original order has a line.
  const known = changes
    .read(orderNumber)
    ?.members.flatMap(({ served }) => served.flat())
    .find((line) => line.itemNumber === itemNumber);
  const ref = {
    ...{ requestId: null, externalId: known?.externalId ?? null, itemNumber, lot: known?.lot ?? null },
    ...{ unit: known?.unit ?? UnitOfMeasure.Piece, requested: null },
  };
  return [ledger.line(orderNumber, ref)];
}

/**
 * Called when the platform has abandoned an order. If nothing is picked, it waits again as if nobody had begun. Lines
 * that were given up stay given up: the external system was told, and no goods have come since. If the external system
 * has cancelled the order meanwhile, nothing of it stays open.
 */
export function releaseAbandoned(needs: EventNeeds, orderNumber: string, entry: ProjectionEntry): void {
  const { orders, ledger, changes } = needs;
  const ledgerLines = ledger.ledgerLinesOf(orderNumber);
  if (ledgerLines.every((ledgerLine) => takenOf(ledgerLine) === 0)) {
    changes.prepareRelease(orderNumber);
    ledger.remove(orderNumber);
    orders.release(orderNumber);
  } else {
    const group = changes.read(orderNumber);
    if (group === undefined || !isCalledOff(group)) return;
    for (const ledgerLine of ledgerLines) ledger.book(cancelOpen(ledgerLine));
  }
  changes.settle(orderNumber, entry);
}
