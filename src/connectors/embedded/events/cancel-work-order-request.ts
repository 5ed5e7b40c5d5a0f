import type { LineCancellation } from "../../../contract/schemas/events.ts";
import { ok } from "../../../sdk/outcome.ts";
import { cancelRest } from "../ledger/ledger-line.ts";
import { filled, type LineSight } from "../ledger/line-sight.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";
import { finishIfDone } from "./finish-order.ts";

/** Books the platform's own count as picked and the rest as cancelled: a state, so the same again changes nothing. */
export const cancelWorkOrderRequest =
  (needs: EventNeeds): EventHandler<"cancelWorkOrderRequest"> =>
  (cancellation, entry) => {
    const { orders, ledger, changes } = needs;
    const { workOrderNumber: orderNumber, request } = cancellation;
    orders.sign(orderNumber);

    ledger.bookOn(orderNumber, cancelledSight(cancellation), (line) => {
      const picked = Math.max(line.picked, request?.completedAmountInBaseUnitOfMeasure ?? 0);
      const requested = Math.max(line.requested, request?.requestedAmountInBaseUnitOfMeasure ?? 0, picked);
      return cancelRest({ ...line, requested, picked });
    });

    changes.settleDoneLines(orderNumber, entry);
    finishIfDone(needs, orderNumber, entry);
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
