import type { LineCancellation } from "../../contract/schemas/events.ts";
import { ok } from "../../operation/outcome.ts";
import { openTogether } from "../changes/open-amounts.ts";
import { askedAtWall, cancelOpen, withCount, withCut } from "../ledger/ledger-line.ts";
import { filled, type LineSight } from "../ledger/line-sight.ts";
import { ofWholeLine } from "../ledger/refetch.ts";
import { cutRest, type EventHandler, type EventNeeds, itemLines } from "./event-handler.ts";

/** Books the platform's own count as picked and the rest as cancelled: a state, so the same again changes nothing. */
export const cancelWorkOrderRequest =
  (needs: EventNeeds): EventHandler<"cancelWorkOrderRequest"> =>
  (cancellation, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, request } = cancellation;
    orders.sign(orderNumber);
    changes.keepFirstPush(orderNumber);
    // Opened and bound first: what is wanted of a line can be said once its account is there.
    const account = ledger.line(orderNumber, cancelledSight(cancellation));
    const booked = withCount(account, {
      requested: ofWholeLine(account, request?.requestedAmountInBaseUnitOfMeasure ?? 0),
      completed: ofWholeLine(account, request?.completedAmountInBaseUnitOfMeasure ?? 0),
    });
    ledger.book(booked);
    const wanted = openTogether(changes.readKept(orderNumber), booked);
    const given = cancelOpen(booked);
    ledger.book(given);
    // What a line that nothing tells apart from it still brings is not cut short.
    ledger.book(withCut(given, wanted, openTogether(changes.readKept(orderNumber), given)));
    changes.settle(orderNumber, entry);
    return ok(null);
  };

function cancelledSight({ request, requestExternalIdentifier }: LineCancellation): LineSight {
  return {
    requestId: request?.requestId ?? null,
    externalId: filled(requestExternalIdentifier),
    itemNumber: filled(request?.itemNumber),
    lot: null,
    unit: null,
    requested: request?.requestedAmountInBaseUnitOfMeasure ?? null,
  };
}

/** Cancels what remains of the item; said twice, there is nothing left to cancel. */
export const cancelPutWallItem =
  (needs: EventNeeds): EventHandler<"cancelPutWallItem"> =>
  ({ workOrderNumber: orderNumber, itemNumber }, entry) => {
    const { orders, changes } = needs;
    orders.sign(orderNumber);
    changes.keepFirstPush(orderNumber);
    cutRest(needs, orderNumber, itemLines(needs, orderNumber, itemNumber).map(askedAtWall));
    changes.settle(orderNumber, entry);
    return ok(null);
  };
