import type { LineCancellation } from "../../contract/schemas/events.ts";
import { ok } from "../../operation/outcome.ts";
import { openOfWholeLine } from "../changes/open-amounts.ts";
import { askedAtWall, cancelOpen, withCount, withShortPicked } from "../ledger/ledger-line.ts";
import { filled, type LineRef } from "../ledger/line-ref.ts";
import { ofWholeLine } from "../ledger/refetch.ts";
import { type EventHandler, type EventNeeds, itemLines, shortPickOpen } from "./event-handler.ts";

/**
 * Books the platform's own count as picked and the rest as cancelled. This sets a state: the same event again changes
 * nothing.
 */
export const cancelWorkOrderRequest =
  (needs: EventNeeds): EventHandler<"cancelWorkOrderRequest"> =>
  (cancellation, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, request } = cancellation;
    orders.recordWork(orderNumber);
    changes.keepFirstPush(orderNumber);
    // Opens the ledger line first: what is wanted of the line can only be read once the ledger line exists.
    const ledgerLine = ledger.line(orderNumber, cancelledRef(cancellation));
    const booked = withCount(ledgerLine, {
      requested: ofWholeLine(ledgerLine, request?.requestedAmountInBaseUnitOfMeasure ?? 0),
      completed: ofWholeLine(ledgerLine, request?.completedAmountInBaseUnitOfMeasure ?? 0),
    });
    ledger.book(booked);
    const wanted = openOfWholeLine(changes.readKept(orderNumber), booked);
    const given = cancelOpen(booked);
    ledger.book(given);
    // What another line that cannot be told apart from it still brings is not short-picked.
    ledger.book(withShortPicked(given, wanted, openOfWholeLine(changes.readKept(orderNumber), given)));
    changes.settle(orderNumber, entry);
    return ok(null);
  };

function cancelledRef({ request, requestExternalIdentifier }: LineCancellation): LineRef {
  return {
    requestId: request?.requestId ?? null,
    externalId: filled(requestExternalIdentifier),
    itemNumber: filled(request?.itemNumber),
    lot: null,
    unit: null,
    requested: request?.requestedAmountInBaseUnitOfMeasure ?? null,
  };
}

/** Cancels what remains of the item; the same event again finds nothing left to cancel. */
export const cancelPutWallItem =
  (needs: EventNeeds): EventHandler<"cancelPutWallItem"> =>
  ({ workOrderNumber: orderNumber, itemNumber }, entry) => {
    const { orders, changes } = needs;
    orders.recordWork(orderNumber);
    changes.keepFirstPush(orderNumber);
    shortPickOpen(needs, orderNumber, itemLines(needs, orderNumber, itemNumber).map(askedAtWall));
    changes.settle(orderNumber, entry);
    return ok(null);
  };
