import { targetsOf } from "../changes/offer-changes.ts";
import { cutShort, type LedgerLine, remainingOf, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import type { EventNeeds } from "./event-handler.ts";

/** The floor gives up what is open of these accounts. What nobody wanted any more does not count as cut short. */
export function cutRest(needs: EventNeeds, orderNumber: string, accounts: readonly LedgerLine[]): void {
  const wanted = openWanted(needs, orderNumber);
  for (const account of accounts) needs.ledger.book(cutShort(account, wanted(account)));
}

/** How much of what is open of an account somebody still wants, in the unit of the account. */
export function openWanted({ changes }: EventNeeds, orderNumber: string): (account: LedgerLine) => number {
  const family = changes.readKept(orderNumber);
  if (family === undefined) return remainingOf;
  const targets = targetsOf(family, orderNumber);
  return (account) => {
    const target = targets.get(account.position);
    return target === undefined ? remainingOf(account) : roundAmount(Math.max(0, target - takenOf(account)));
  };
}
