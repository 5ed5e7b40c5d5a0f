import type { LineCancellation } from "../../contract/schemas/events.ts";
import { ok } from "../../operation/outcome.ts";
import { askedAtWall, cutShort, roundAmount, takenOf } from "../ledger/ledger-line.ts";
import { filled, type LineSight } from "../ledger/line-sight.ts";
import { pickedBefore } from "../ledger/refetch.ts";
import { cutRest, type EventHandler, type EventNeeds, itemLines, openWanted } from "./event-handler.ts";

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
    const before = pickedBefore(account);
    const taken = Math.max(takenOf(account), before + (request?.completedAmountInBaseUnitOfMeasure ?? 0));
    const shown = before + (request?.requestedAmountInBaseUnitOfMeasure ?? 0);
    const requested = Math.max(account.requested, shown);
    // What is beyond the request stays beyond it: the platform's count includes it.
    const picked = Math.max(account.picked, Math.min(taken, requested));
    const booked = { ...account, requested, picked, overPicked: roundAmount(taken - picked) };
    ledger.book(booked);
    ledger.book(cutShort(booked, openWanted(needs, orderNumber)(booked)));
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
