import { oncePer } from "../../../kit/recent-values.ts";
import { type LedgerLine, remainingOf, takenOf } from "../../ledger/ledger-line.ts";
import type { StoredOrder } from "../../order-store.ts";
import type { ServedContent } from "../served/served-content.ts";

/** One order of a group: the original order, or one of its follow-up orders. */
export interface MemberOrder {
  readonly number: string;
  /** Undefined when the order was never pushed to Crossdock: it reached the platform by another way. */
  readonly order: StoredOrder | undefined;
  /** Its ledger lines; empty before the first sign of work. */
  readonly ledgerLines: readonly LedgerLine[];
  /** Every content that the platform may have fetched, including the present one. */
  readonly served: readonly ServedContent[];
}

export const isWaiting = ({ order }: MemberOrder): boolean => order !== undefined && !order.worked;

// What depends on all lines of an order is asked for each line. Found out once, it costs nothing; otherwise one event on
// an order of ten thousand lines would stop all other events for twenty seconds.

/**
 * Whether the platform has nothing left to do for this order. If the order was never pushed here, only its ledger lines
 * can tell.
 */
export const isOrderEnded = oncePer(({ order, ledgerLines }: MemberOrder): boolean => {
  if (ledgerLines.some((ledgerLine) => remainingOf(ledgerLine) > 0)) return false;
  if (order === undefined) return ledgerLines.length > 0;
  return order.worked && (order.state === "finished" || order.state === "cancelled");
});

/** Whether the order is sorted at a put wall: something was placed, and no step has shown a line. */
export const isPutWall = oncePer(
  ({ ledgerLines }: MemberOrder): boolean =>
    ledgerLines.some((ledgerLine) => takenOf(ledgerLine) > 0) &&
    ledgerLines.every((ledgerLine) => ledgerLine.steps === 0),
);
