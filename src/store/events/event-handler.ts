import { UnitOfMeasure } from "../../contract/enums.ts";
import type { EventId, InputOf } from "../../contract/operations.ts";
import type { ProjectionEntry } from "../../journal/inline-projection.ts";
import type { Outcome } from "../../operation/outcome.ts";
import { isCalledOff } from "../changes/family.ts";
import { openOf } from "../changes/open-amounts.ts";
import type { Changes } from "../changes/open-changes.ts";
import type { Finishing } from "../finished/finishing.ts";
import { cancelOpen, cutShort, type LedgerLine, remainingOf, takenOf } from "../ledger/ledger-line.ts";
import type { Ledger } from "../ledger/open-ledger.ts";
import type { OrderStore } from "../order-store.ts";

/** Takes in one event, inside the transaction that stores it. */
export type EventHandler<Id extends EventId> = (input: InputOf<Id>, entry: ProjectionEntry) => Outcome<Id>;

export interface EventNeeds {
  readonly orders: OrderStore;
  readonly ledger: Ledger;
  readonly changes: Changes;
  /** Counts what goes into containers; undefined if nobody asks when they are finished. */
  readonly finishing?: Finishing | undefined;
}

/** The floor gives up what is open of these accounts. What nobody wanted any more does not count as cut short. */
export function cutRest(needs: EventNeeds, orderNumber: string, accounts: readonly LedgerLine[]): void {
  const wanted = openWanted(needs, orderNumber);
  for (const account of accounts) needs.ledger.book(cutShort(account, wanted(account)));
}

/** How much of what is open of an account somebody still wants, in the unit of the account. */
export function openWanted({ changes }: EventNeeds, orderNumber: string): (account: LedgerLine) => number {
  const family = changes.readKept(orderNumber);
  return family === undefined ? remainingOf : openOf(family, orderNumber);
}

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

/**
 * The platform has abandoned an order. With nothing picked it is there to be worked on again, as if nobody had begun; but
 * a line that was given up stays given up: the external system was told, and the goods have not come since. If
 * the external system has cancelled it meanwhile, nothing of it is open any more.
 */
export function letGo(needs: EventNeeds, orderNumber: string, entry: ProjectionEntry): void {
  const { orders, ledger, changes } = needs;
  const accounts = ledger.accountsOf(orderNumber);
  if (accounts.every((account) => takenOf(account) === 0)) {
    changes.giveBack(orderNumber);
    ledger.remove(orderNumber);
    orders.release(orderNumber);
  } else {
    const family = changes.read(orderNumber);
    if (family === undefined || !isCalledOff(family)) return;
    for (const account of accounts) ledger.book(cancelOpen(account));
  }
  changes.settle(orderNumber, entry);
}
