import { ok } from "../../../sdk/outcome.ts";
import { cancelRest } from "../ledger/ledger-line.ts";
import type { EventHandler, EventNeeds } from "./event-handler.ts";
import { finishIfDone } from "./finish-order.ts";
import { itemLines } from "./item-lines.ts";

/** Cancels what remains of the item; said twice, there is nothing left to cancel. */
export const cancelPutWallItem =
  (needs: EventNeeds): EventHandler<"cancelPutWallItem"> =>
  ({ workOrderNumber: orderNumber, itemNumber }, entry) => {
    const { orders, ledger, changes } = needs;
    orders.sign(orderNumber);
    for (const line of itemLines(ledger, orderNumber, itemNumber)) ledger.book(cancelRest(line));
    changes.settleDoneLines(orderNumber, entry);
    finishIfDone(needs, orderNumber, entry);
    return ok(null);
  };
