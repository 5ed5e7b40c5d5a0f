import type { LineCancellation } from "../../../contract/schemas/events.ts";
import { ok } from "../../../sdk/outcome.ts";
import { cutShort } from "../ledger/ledger-line.ts";
import { filled, type LineSight } from "../ledger/line-sight.ts";
import { pickedBefore } from "../ledger/refetch.ts";
import { openWanted } from "./cut-rest.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";

/** Books the platform's own count as picked and the rest as cancelled: a state, so the same again changes nothing. */
export const cancelWorkOrderRequest =
  (needs: EventNeeds): EventHandler<"cancelWorkOrderRequest"> =>
  (cancellation, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, request } = cancellation;
    orders.sign(orderNumber);
    // Opened and bound first: what is wanted of a line can be said once its account is there.
    const account = ledger.line(orderNumber, cancelledSight(cancellation));
    const before = pickedBefore(account);
    const counted = before + (request?.completedAmountInBaseUnitOfMeasure ?? 0);
    const picked = Math.max(account.picked, counted);
    const shown = before + (request?.requestedAmountInBaseUnitOfMeasure ?? 0);
    const booked = { ...account, picked, requested: Math.max(account.requested, shown, picked) };
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
